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
