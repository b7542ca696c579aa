-- Gives events their numbers as they are written, where nobody else numbers those of their accounts at that moment. A number that came
-- later was another version of the row, with new entries in the indexes of its position and its id, behind one in the index of what has no
-- number: 2 kB of the log for a call.

-- +goose Up

-- Calls are written less than they were (0027), and are as well off on fuller pages. Events are not: those of many calls are
-- delivered at the same time.
ALTER TABLE call SET (fillfactor = 70);

-- Who counts the events that it writes says so, as who numbers them does.
CREATE OR REPLACE TRIGGER event_count_inserted AFTER INSERT ON event FOR EACH ROW
    WHEN (NEW.sequence IS NOT NULL AND current_setting('callwright.events_counted', true) IS DISTINCT FROM 'yes')
    EXECUTE FUNCTION event_count_row();

-- Writes events that were not written before, in their order, and returns which were; see EventRecordMany. It waits for nobody: an account's
-- counter that somebody holds is left to that one, and so are the events of an account that has any without a number, which come
-- before these. From here to the end of the transaction nobody else numbers those of the accounts, so numbers are seen in
-- their order, and one that is rolled back is given again. The transaction has its id before it draws positions, which
-- number_events relies on.
-- +goose StatementBegin
CREATE FUNCTION record_events(
    ids uuid[], account_ids uuid[], types text[], call_ids uuid[], payloads jsonb[], assistant_ids uuid[], optional boolean[]
) RETURNS TABLE (id uuid, delivery text)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    mine uuid[];
BEGIN
    PERFORM pg_current_xact_id();
    mine := ARRAY(
        SELECT counter.account_id FROM event_counter AS counter WHERE counter.account_id = ANY (account_ids)
        ORDER BY counter.account_id FOR UPDATE SKIP LOCKED
    );
    -- This statement sees all that whoever held the counters before has committed.
    mine := ARRAY(
        SELECT counter.account_id FROM event_counter AS counter WHERE counter.account_id = ANY (mine)
            AND (SELECT event.position FROM event WHERE event.account_id = counter.account_id AND event.sequence IS NULL
                AND event.position > counter.numbered_to ORDER BY event.position LIMIT 1) IS NULL
    );
    PERFORM set_config('callwright.events_counted', 'yes', true);
    RETURN QUERY
    WITH fact AS MATERIALIZED (
        SELECT given.*, destination.id AS endpoint_id,
            CASE WHEN destination.url IS NOT NULL AND destination.enabled AND given.type = ANY (destination.events) THEN 'pending' ELSE 'none' END AS delivery
        FROM unnest(ids, account_ids, types, call_ids, payloads, assistant_ids, optional)
            WITH ORDINALITY AS given (id, account_id, type, call_id, payload, assistant_id, optional, place)
        LEFT JOIN LATERAL (
            SELECT endpoint.id, endpoint.url, endpoint.enabled, endpoint.events FROM webhook_endpoint AS endpoint
            WHERE endpoint.account_id = given.account_id
                AND (endpoint.assistant_id = given.assistant_id AND endpoint.url IS NOT NULL OR endpoint.assistant_id IS NULL)
            ORDER BY endpoint.assistant_id NULLS LAST LIMIT 1
        ) AS destination ON true
        WHERE (NOT given.optional OR given.type = ANY (destination.events)) AND (given.type <> 'end-of-call-report'
            OR NOT EXISTS (SELECT FROM event AS known WHERE known.call_id = given.call_id AND known.type = 'end-of-call-report'))
    ), counter AS (
        UPDATE event_counter SET last = event_counter.last + grown.events
        FROM (SELECT fact.account_id, count(*) AS events FROM fact WHERE fact.account_id = ANY (mine) GROUP BY fact.account_id) AS grown
        WHERE event_counter.account_id = grown.account_id
        RETURNING event_counter.account_id, event_counter.last - grown.events AS base
    ), written AS (
        INSERT INTO event (id, account_id, sequence, type, call_id, payload, delivery)
        SELECT fact.id, fact.account_id, counter.base + row_number() OVER (PARTITION BY fact.account_id ORDER BY fact.place), fact.type,
            nullif(fact.call_id, '00000000-0000-0000-0000-000000000000'), fact.payload, fact.delivery
        FROM fact LEFT JOIN counter ON counter.account_id = fact.account_id
        ORDER BY fact.place
        RETURNING event.id, event.account_id, event.sequence, event.type, event.call_id, event.position, event.delivery
    ), queued AS (
        INSERT INTO delivery_queue (endpoint_id, position, event_id, account_id, call_id)
        SELECT fact.endpoint_id, written.position, written.id, written.account_id, written.call_id FROM written JOIN fact ON fact.id = written.id
        WHERE written.delivery = 'pending'
    ), counted AS (
        INSERT INTO list_count_delta (account_id, list, part, bucket, n)
        SELECT written.account_id, 'event', written.type, written.sequence / 1000, count(*) FROM written WHERE written.sequence IS NOT NULL
        GROUP BY written.account_id, written.type, written.sequence / 1000
    )
    SELECT written.id, written.delivery FROM written;
    PERFORM set_config('callwright.events_counted', '', true);
END $$;
-- +goose StatementEnd

-- As it was, except that it waits for nobody who numbers: a process that stands still in a transaction holds up nobody's deliveries.
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
