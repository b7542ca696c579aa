-- Has a process do in one statement what took it five: it claims endpoints, and numbers and reads what is due for them. What became of
-- deliveries is a function too, which spares the settings that its plan needs. Processes of the version before go on with theirs.

-- +goose Up

-- Does what number_events(accounts) does. Where it is not to wait, it leaves the accounts to whoever numbers their events at the
-- same time, and returns these: they may have events that came too late for that one.
-- +goose StatementBegin
CREATE FUNCTION number_events(accounts uuid[], wait boolean) RETURNS SETOF uuid
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    over xid8; -- all transactions below it are, before the statement that numbers looks
    mine uuid[] := accounts;
BEGIN
    IF NOT EXISTS (
        SELECT FROM unnest(accounts) AS asked (id) LEFT JOIN event_counter ON event_counter.account_id = asked.id
        WHERE (SELECT event.position FROM event WHERE event.account_id = asked.id AND event.sequence IS NULL
            AND event.position > coalesce(event_counter.numbered_to, 0) ORDER BY event.position LIMIT 1) IS NOT NULL
    ) THEN
        RETURN;
    END IF;
    INSERT INTO event_counter (account_id)
    SELECT account.id FROM account WHERE account.id = ANY (accounts)
        AND NOT EXISTS (SELECT FROM event_counter AS known WHERE known.account_id = account.id)
    ORDER BY account.id ON CONFLICT DO NOTHING;
    IF wait THEN
        PERFORM FROM event_counter WHERE event_counter.account_id = ANY (accounts) ORDER BY event_counter.account_id FOR UPDATE;
    ELSE
        mine := ARRAY(
            SELECT counter.account_id FROM event_counter AS counter WHERE counter.account_id = ANY (accounts)
            ORDER BY counter.account_id FOR UPDATE SKIP LOCKED
        );
    END IF;
    over := pg_snapshot_xmin(pg_current_snapshot());
    WITH waiting AS (
        SELECT oldest.position, oldest.account_id,
            row_number() OVER (PARTITION BY oldest.account_id ORDER BY oldest.position) AS step
        FROM (
            SELECT unnumbered.position, known.account_id FROM event_counter AS known CROSS JOIN LATERAL (
                SELECT event.position FROM event
                WHERE event.account_id = known.account_id AND event.sequence IS NULL AND event.position > known.numbered_to
                ORDER BY event.position LIMIT 5000
            ) AS unnumbered
            WHERE known.account_id = ANY (mine)
            ORDER BY unnumbered.position LIMIT 5000
        ) AS oldest
    ), counter AS (
        UPDATE event_counter SET last = event_counter.last + grown.events,
            numbered_to = CASE WHEN grown.complete AND event_counter.seen_xid <= over THEN event_counter.seen_to ELSE event_counter.numbered_to END,
            seen_to = CASE WHEN event_counter.seen_xid <= over THEN grown.top ELSE event_counter.seen_to END,
            seen_xid = CASE WHEN event_counter.seen_xid <= over THEN pg_snapshot_xmax(pg_current_snapshot()) ELSE event_counter.seen_xid END
        FROM (
            SELECT waiting.account_id, max(waiting.step) AS events, max(waiting.position) AS top, (SELECT count(*) FROM waiting) < 5000 AS complete
            FROM waiting GROUP BY waiting.account_id
        ) AS grown
        WHERE event_counter.account_id = grown.account_id
        RETURNING event_counter.account_id, event_counter.last - grown.events AS base
    )
    UPDATE event SET sequence = counter.base + waiting.step
    FROM waiting JOIN counter ON counter.account_id = waiting.account_id
    WHERE event.position = waiting.position;
    RETURN QUERY SELECT asked.id FROM unnest(accounts) AS asked (id) WHERE asked.id <> ALL (mine);
END $$;
-- +goose StatementEnd

-- Does what take_deliveries does: it claims the endpoints for which anything is due and that no live process has, and returns what is
-- due for those of the worker and is not held already, the oldest first. It also sees to it that what it returns is numbered, and
-- reads it where the worker is likely to send it at once: so many of the oldest of each endpoint (room; of those that are not known
-- the first element), as long as they never were attempted and no earlier event of their call waits for its endpoint.
--
-- sequence is NULL of what was not read. follows is the position of the earlier event of the call that is on its way and was not
-- attempted yet, 0: none. It is the nearest before; what was attempted, unless it was asked, waited for those before itself. Of the
-- 30 before, those count that have been on their way for less than five minutes, as in EventListForDelivery. endpoints are those of
-- the account that concern the assistant, best first; they stand in one row of each account and assistant.
-- +goose StatementBegin
CREATE FUNCTION take_due_deliveries(worker text, known uuid[], behind bigint[], room integer[], held bigint[], most integer, asked text[])
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
    PERFORM number_events(ARRAY(SELECT DISTINCT head.account_id FROM unnest(due) AS head), true);
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
        SELECT event.sequence, event.payload::text AS payload, event.pending_since, call.assistant_id, call.traceparent, coalesce((
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

-- Logs attempts and moves their events by them, together; see EventRecordAttempts.
-- +goose StatementBegin
CREATE FUNCTION record_attempts(
    event_ids uuid[], redeliveries integer[], verdicts text[], urls text[], status_codes integer[], latencies_ms integer[], answers text[],
    errors text[], waits_for_ids uuid[], job_ids bigint[], due_ins double precision[], wake_ins double precision[], queue_ids uuid[], positions bigint[]
) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH attempt AS (
        SELECT unnest(event_ids) AS event_id, unnest(redeliveries) AS redelivery, unnest(verdicts) AS verdict, unnest(urls) AS url,
            unnest(status_codes) AS status_code, unnest(latencies_ms) AS latency_ms, unnest(answers) AS answer, unnest(errors) AS error,
            unnest(waits_for_ids) AS waits_for, unnest(job_ids) AS job_id, unnest(due_ins) AS due_in, unnest(wake_ins) AS wake_in,
            unnest(queue_ids) AS queue_id, unnest(positions) AS position
    ), unqueued AS (
        DELETE FROM delivery_queue USING attempt WHERE delivery_queue.endpoint_id = attempt.queue_id AND delivery_queue.position = attempt.position
    ), tried AS (
        UPDATE event SET attempts = event.attempts + CASE WHEN attempt.verdict = 'early' THEN 0 ELSE 1 END,
            failed_attempts = event.failed_attempts + CASE WHEN event.redelivery = attempt.redelivery AND attempt.verdict <> 'early' THEN 1 ELSE 0 END,
            delivery = CASE WHEN event.redelivery = attempt.redelivery AND event.delivery = 'pending' AND attempt.verdict <> 'early' THEN attempt.verdict ELSE event.delivery END,
            waits_for = CASE WHEN event.redelivery = attempt.redelivery THEN nullif(attempt.waits_for, '00000000-0000-0000-0000-000000000000') ELSE event.waits_for END,
            job_id = CASE WHEN event.redelivery = attempt.redelivery THEN nullif(attempt.job_id, 0) ELSE event.job_id END,
            due_at = CASE WHEN event.redelivery <> attempt.redelivery OR attempt.due_in = 0 THEN event.due_at ELSE now() + attempt.due_in * interval '1 second' END,
            wake_at = CASE WHEN event.redelivery <> attempt.redelivery OR attempt.wake_in = 0 THEN event.wake_at ELSE now() + attempt.wake_in * interval '1 second' END
        FROM attempt WHERE event.id = attempt.event_id
        RETURNING event.account_id, event.attempts, event.redelivery = attempt.redelivery AS current, attempt.*
    )
    INSERT INTO delivery_attempt (account_id, event_id, attempt, url, status_code, latency_ms, answer, error)
    SELECT tried.account_id, tried.event_id, tried.attempts, tried.url, nullif(tried.status_code, 0), tried.latency_ms,
        CASE WHEN tried.current THEN tried.answer ELSE '' END, nullif(tried.error, '')
    FROM tried WHERE tried.verdict <> 'early';
END $$;
-- +goose StatementEnd
