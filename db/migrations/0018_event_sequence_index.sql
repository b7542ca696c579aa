-- An account's numbers are its own, as event_account_id_sequence_key has it, but an event that has no number yet has no entry: that one
-- cost 64 bytes of the log for each event, and a page split now and then, and nobody ever looked for it.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS event_sequence_key;
CREATE UNIQUE INDEX CONCURRENTLY event_sequence_key ON event (account_id, sequence) WHERE sequence IS NOT NULL;
SET lock_timeout = '5s';
