-- event_sequence_key has taken the place of the constraint. And the events that are numbered together are counted together: a row of
-- list_count_delta for each event was a sixth of what its number cost.

-- +goose Up
ALTER TABLE event DROP CONSTRAINT event_account_id_sequence_key;

-- Whoever counts the events that it numbers says so; all others have them counted one by one.
CREATE OR REPLACE TRIGGER event_count_updated AFTER UPDATE ON event FOR EACH ROW
    WHEN (OLD.sequence IS NULL AND NEW.sequence IS NOT NULL AND current_setting('callwright.events_counted', true) IS DISTINCT FROM 'yes')
    EXECUTE FUNCTION event_count_row();

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION number_events(accounts uuid[], wait boolean) RETURNS SETOF uuid
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
    PERFORM set_config('callwright.events_counted', 'yes', true);
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
    ), numbered AS (
        UPDATE event SET sequence = counter.base + waiting.step
        FROM waiting JOIN counter ON counter.account_id = waiting.account_id
        WHERE event.position = waiting.position
        RETURNING event.account_id, event.type, event.sequence / 1000 AS bucket
    )
    INSERT INTO list_count_delta (account_id, list, part, bucket, n)
    SELECT numbered.account_id, 'event', numbered.type, numbered.bucket, count(*) FROM numbered
    GROUP BY numbered.account_id, numbered.type, numbered.bucket;
    PERFORM set_config('callwright.events_counted', '', true);
    RETURN QUERY SELECT asked.id FROM unnest(accounts) AS asked (id) WHERE asked.id <> ALL (mine);
END $$;
-- +goose StatementEnd
