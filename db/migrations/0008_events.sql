-- Events at a million per account, their redelivery, and what is known of the servers that receive them.

-- +goose Up
-- Only numbered events are read: what is not numbered yet need not be in these, which spares its insertion.
CREATE INDEX event_type_idx ON event (account_id, type, sequence) WHERE sequence IS NOT NULL;
CREATE INDEX event_created_at_idx ON event (account_id, created_at, position) WHERE sequence IS NOT NULL;
DROP INDEX event_call_idx;
CREATE INDEX event_call_idx ON event (account_id, call_id, sequence) WHERE call_id IS NOT NULL AND sequence IS NOT NULL;

-- Each redelivery is a round: jobs of earlier rounds are moot. rung counts the failures of the round; attempts counts all
-- that was ever tried.
ALTER TABLE event
    ADD COLUMN round integer NOT NULL DEFAULT 0,
    ADD COLUMN rung integer NOT NULL DEFAULT 0,
    ADD COLUMN pending_since timestamptz NOT NULL DEFAULT now();

-- failures and dead_in_row count since the last success. From the tenth failure on the endpoint rests until retry_at, when
-- one delivery probes it; failed_probes makes the next rest longer.
ALTER TABLE webhook_endpoint
    ADD COLUMN failures integer NOT NULL DEFAULT 0,
    ADD COLUMN dead_in_row integer NOT NULL DEFAULT 0,
    ADD COLUMN failed_probes integer NOT NULL DEFAULT 0,
    ADD COLUMN retry_at timestamptz;

-- Gives the oldest unnumbered events of accounts their places in the accounts' sequences and answers the accounts that got
-- any. It is a function so that a sequencer needs one round trip while deliveries wait for it. The counters are locked
-- first, in one order; the statement after that sees all that the sequencer before it numbered.
-- +goose StatementBegin
CREATE FUNCTION number_events(accounts uuid[]) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM event WHERE event.account_id = ANY (accounts) AND event.sequence IS NULL) THEN
        RETURN;
    END IF;
    INSERT INTO event_counter (account_id) SELECT account.id FROM account WHERE account.id = ANY (accounts) ORDER BY account.id
    ON CONFLICT (account_id) DO UPDATE SET last = event_counter.last;
    RETURN QUERY
    WITH waiting AS (
        SELECT oldest.position, oldest.account_id, row_number() OVER (PARTITION BY oldest.account_id ORDER BY oldest.position) AS step
        FROM (
            SELECT event.position, event.account_id FROM event
            WHERE event.account_id = ANY (accounts) AND event.sequence IS NULL
            ORDER BY event.position LIMIT 5000
        ) AS oldest
    ), counter AS (
        UPDATE event_counter SET last = event_counter.last + grown.events
        FROM (SELECT waiting.account_id, max(waiting.step) AS events FROM waiting GROUP BY waiting.account_id) AS grown
        WHERE event_counter.account_id = grown.account_id
        RETURNING event_counter.account_id, event_counter.last - grown.events AS base
    ), numbered AS (
        UPDATE event SET sequence = counter.base + waiting.step
        FROM waiting JOIN counter ON counter.account_id = waiting.account_id
        WHERE event.position = waiting.position
    )
    SELECT counter.account_id FROM counter;
END $$;
-- +goose StatementEnd
