-- A column for messages that are packed (db/packed): those of a call's states were 1 kB each as they are, too short for Postgres to
-- compress. This version reads both and writes payload.

-- +goose Up

-- Either is there. What is packed no compression makes shorter.
ALTER TABLE event ADD COLUMN packed bytea, ALTER COLUMN payload DROP NOT NULL;
ALTER TABLE event ALTER COLUMN packed SET STORAGE EXTERNAL;
ALTER TABLE event ADD CONSTRAINT event_message_check CHECK ((payload IS NULL) <> (packed IS NULL)) NOT VALID;

-- As it was, except that payload is in base64 where it is packed.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION take_due_deliveries(worker text, known uuid[], behind bigint[], room integer[], held bigint[], most integer, asked text[])
RETURNS TABLE (
    endpoint_id uuid, "position" bigint, event_id uuid, account_id uuid, call_id uuid, sequence bigint, payload text,
    pending_since timestamptz, assistant_id uuid, traceparent text, follows bigint, endpoints jsonb
)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    due delivery_queue[];
BEGIN
    WITH RECURSIVE queued AS (
        (SELECT head.endpoint_id AS id FROM delivery_queue AS head ORDER BY head.endpoint_id LIMIT 1)
        UNION ALL
        SELECT (SELECT head.endpoint_id FROM delivery_queue AS head WHERE head.endpoint_id > queued.id ORDER BY head.endpoint_id LIMIT 1)
        FROM queued WHERE queued.id IS NOT NULL
    ), claimed AS (
        INSERT INTO delivery_claim AS claim (endpoint_id, worker_id)
        SELECT queued.id, worker FROM queued LEFT JOIN delivery_claim AS holder ON holder.endpoint_id = queued.id
        WHERE queued.id IS NOT NULL AND NOT EXISTS (SELECT FROM process_lease AS live WHERE live.process_id = holder.worker_id AND live.ended_at IS NULL)
        ORDER BY queued.id
        ON CONFLICT (endpoint_id) DO UPDATE SET worker_id = excluded.worker_id
        WHERE NOT EXISTS (SELECT FROM process_lease AS live WHERE live.process_id = claim.worker_id AND live.ended_at IS NULL)
        RETURNING claim.endpoint_id AS id
    ), mine AS (
        SELECT claimed.id FROM claimed
        UNION
        SELECT queued.id FROM queued JOIN delivery_claim AS holder ON holder.endpoint_id = queued.id WHERE holder.worker_id = worker
    )
    SELECT array_agg(fresh.head) INTO due FROM mine CROSS JOIN LATERAL (
        SELECT head FROM delivery_queue AS head
        WHERE head.endpoint_id = mine.id AND head.position > coalesce(behind[array_position(known, mine.id)], 0)
            AND head.position NOT IN (SELECT unnest(held))
        ORDER BY head.position LIMIT most
    ) AS fresh;
    IF due IS NULL THEN
        RETURN;
    END IF;
    PERFORM number_events(ARRAY(SELECT DISTINCT head.account_id FROM unnest(due) AS head), false);
    RETURN QUERY
    SELECT head.endpoint_id, head.position, head.event_id, head.account_id, head.call_id, loaded.sequence, loaded.payload, loaded.pending_since,
        loaded.assistant_id, loaded.traceparent, loaded.follows,
        CASE WHEN loaded.sequence IS NOT NULL
            AND row_number() OVER (PARTITION BY head.account_id, loaded.assistant_id ORDER BY loaded.sequence NULLS LAST) = 1 THEN (
            SELECT jsonb_agg(jsonb_build_object(
                'ID', endpoint.id, 'AccountID', endpoint.account_id, 'AssistantID', endpoint.assistant_id, 'URL', endpoint.url,
                'Secret', endpoint.secret, 'PreviousSecret', endpoint.previous_secret, 'PreviousSecretExpiresAt', endpoint.previous_secret_expires_at,
                'Headers', endpoint.headers, 'Enabled', endpoint.enabled, 'Failures', endpoint.failures, 'DeadInRow', endpoint.dead_in_row,
                'FailedProbes', endpoint.failed_probes, 'RetryAt', endpoint.retry_at
            ) ORDER BY endpoint.assistant_id NULLS LAST)
            FROM webhook_endpoint AS endpoint
            WHERE endpoint.account_id = head.account_id AND (endpoint.assistant_id IS NULL OR endpoint.assistant_id = loaded.assistant_id)
        ) END
    FROM (
        SELECT due_one.*, row_number() OVER (PARTITION BY due_one.endpoint_id ORDER BY due_one.position) AS place FROM unnest(due) AS due_one
    ) AS head LEFT JOIN LATERAL (
        SELECT event.sequence, coalesce(event.payload::text, encode(event.packed, 'base64')) AS payload, event.pending_since, call.assistant_id, call.traceparent, coalesce((
            SELECT CASE WHEN nearest.ahead THEN nearest.position ELSE 0 END FROM (
                SELECT earlier.position, earlier.attempts, earlier.type, earlier.delivery = 'pending' AND earlier.failed_attempts = 0
                    AND earlier.waits_for IS NULL AND earlier.pending_since > now() - interval '5 minutes' AS ahead
                FROM event AS earlier
                WHERE earlier.account_id = event.account_id AND earlier.call_id = event.call_id AND earlier.sequence < event.sequence
                ORDER BY earlier.sequence DESC LIMIT 30
            ) AS nearest
            WHERE nearest.ahead OR nearest.attempts > 0 AND nearest.type <> ALL (asked)
            LIMIT 1
        ), 0) AS follows
        FROM event LEFT JOIN call ON call.account_id = event.account_id AND call.id = event.call_id
        WHERE event.position = head.position AND head.place <= room[coalesce(array_position(known, head.endpoint_id) + 1, 1)]
            AND event.delivery = 'pending' AND event.redelivery = 0 AND event.failed_attempts = 0 AND event.waits_for IS NULL AND event.sequence IS NOT NULL
            AND NOT EXISTS (
                SELECT FROM event AS earlier WHERE earlier.call_id = event.call_id AND earlier.waits_for IS NOT NULL AND earlier.position < event.position
                    AND earlier.delivery = 'pending' AND earlier.failed_attempts < 6
            )
    ) AS loaded ON true
    ORDER BY head.endpoint_id, head.position;
END $$;
-- +goose StatementEnd
