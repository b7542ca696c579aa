-- Has messages of events written packed (db/packed), once no process of the version before runs or may come back.

-- +goose Up

-- What is written in a newer form than the version before reads; see db.Form. A database that is in use is written so a day from now:
-- until then processes of the version before may come back.
CREATE TABLE stored_form (
    form integer PRIMARY KEY,
    written_from timestamptz NOT NULL
);
INSERT INTO stored_form (form, written_from) SELECT 1, now() + CASE WHEN EXISTS (SELECT FROM account) THEN interval '1 day' ELSE interval '0' END;

-- The newest form that the process reads.
ALTER TABLE seal_key_holder ADD COLUMN reads integer NOT NULL DEFAULT 0;

ALTER TABLE event VALIDATE CONSTRAINT event_message_check;

-- Does what that of 0028 does, for messages that are packed or JSON as it is, and waits for who reports the same call, before it looks whether
-- that is reported: the other one failed there, and its transaction with it, in which other calls were reported too. To leave it
-- to the index (ON CONFLICT) would leave a gap: by then the event has its number. It waits for nobody else: an account's counter
-- that somebody holds is left to that one, and so are the events of an account that has any without a number, which come before
-- these. From here to the end of the transaction nobody else numbers those of the accounts, so numbers are seen in their order,
-- and one that is rolled back is given again. The transaction has its id before it draws positions, which number_events relies
-- on.
-- +goose StatementBegin
CREATE FUNCTION record_events(
    ids uuid[], account_ids uuid[], types text[], call_ids uuid[], messages bytea[], assistant_ids uuid[], optional boolean[]
) RETURNS TABLE (id uuid, delivery text)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    mine uuid[];
BEGIN
    PERFORM pg_current_xact_id();
    IF 'end-of-call-report' = ANY (types) THEN
        PERFORM pg_advisory_xact_lock(reported.key) FROM (
            SELECT DISTINCT hashtextextended('report:' || given.call_id, 0) AS key FROM unnest(types, call_ids) AS given (type, call_id)
            WHERE given.type = 'end-of-call-report' ORDER BY key
        ) AS reported;
    END IF;
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
        FROM unnest(ids, account_ids, types, call_ids, messages, assistant_ids, optional)
            WITH ORDINALITY AS given (id, account_id, type, call_id, message, assistant_id, optional, place)
        LEFT JOIN LATERAL (
            SELECT endpoint.id, endpoint.url, endpoint.enabled, endpoint.events FROM webhook_endpoint AS endpoint
            WHERE endpoint.account_id = given.account_id
                AND (endpoint.assistant_id = given.assistant_id AND endpoint.url IS NOT NULL OR endpoint.assistant_id IS NULL)
            ORDER BY endpoint.assistant_id NULLS LAST LIMIT 1
        ) AS destination ON true
        WHERE (NOT given.optional OR given.type = ANY (destination.events)) AND (given.type <> 'end-of-call-report'
            OR NOT EXISTS (SELECT FROM event AS known WHERE known.call_id = given.call_id AND known.type = 'end-of-call-report')
            AND NOT EXISTS (
                SELECT FROM unnest(types[:given.place - 1], call_ids[:given.place - 1]) AS sooner (type, call_id)
                WHERE sooner.type = given.type AND sooner.call_id = given.call_id
            ))
    ), counter AS (
        UPDATE event_counter SET last = event_counter.last + grown.events
        FROM (SELECT fact.account_id, count(*) AS events FROM fact WHERE fact.account_id = ANY (mine) GROUP BY fact.account_id) AS grown
        WHERE event_counter.account_id = grown.account_id
        RETURNING event_counter.account_id, event_counter.last - grown.events AS base
    ), written AS (
        INSERT INTO event (id, account_id, sequence, type, call_id, payload, packed, delivery)
        SELECT fact.id, fact.account_id, counter.base + row_number() OVER (PARTITION BY fact.account_id ORDER BY fact.place), fact.type,
            nullif(fact.call_id, '00000000-0000-0000-0000-000000000000'),
            CASE WHEN get_byte(fact.message, 0) = ascii('{') THEN convert_from(fact.message, 'UTF8')::jsonb END,
            CASE WHEN get_byte(fact.message, 0) <> ascii('{') THEN fact.message END, fact.delivery
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
