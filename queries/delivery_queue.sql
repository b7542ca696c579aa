-- Claims endpoints and returns what is due for them; see the function.
-- name: DeliveryQueueTake :many
SELECT taken.endpoint_id::uuid AS endpoint_id, taken.position::bigint AS position, taken.event_id::uuid AS event_id,
    taken.account_id::uuid AS account_id,
    coalesce(taken.call_id, '00000000-0000-0000-0000-000000000000')::uuid AS call_id,
    coalesce(taken.sequence, 0)::bigint AS sequence, coalesce(taken.payload, '')::text AS payload,
    coalesce(taken.pending_since, 'epoch')::timestamptz AS pending_since,
    coalesce(taken.assistant_id, '00000000-0000-0000-0000-000000000000')::uuid AS assistant_id,
    coalesce(taken.traceparent, '')::text AS traceparent, coalesce(taken.follows, 0)::bigint AS follows,
    coalesce(taken.endpoints, 'null')::jsonb AS endpoints
FROM take_due_deliveries(
    @worker_id::text, @known::uuid[], @behind::bigint[], @room::integer[], @held::bigint[], @most::integer, @asked::text[]
) AS taken;

-- What needs no delivery any more, or is left to jobs.
-- name: DeliveryQueueDeleteMany :exec
DELETE FROM delivery_queue USING (SELECT unnest(@endpoint_ids::uuid[]) AS endpoint_id, unnest(@positions::bigint[]) AS position) AS gone
WHERE delivery_queue.endpoint_id = gone.endpoint_id AND delivery_queue.position = gone.position;

-- Gives up endpoints for which nothing is due. What is written meanwhile is found by whoever looks next.
-- name: DeliveryClaimRelease :exec
DELETE FROM delivery_claim WHERE worker_id = @worker_id AND endpoint_id = ANY (@endpoint_ids::uuid[]);
