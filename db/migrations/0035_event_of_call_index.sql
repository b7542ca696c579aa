-- Finds the events of a call, which is of one account: the index before it had the account too, 16 of the 79 bytes that it took for an event.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS event_of_call_idx;
CREATE INDEX CONCURRENTLY event_of_call_idx ON event (call_id, sequence) WHERE call_id IS NOT NULL AND sequence IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS event_call_idx;
SET lock_timeout = '5s';
