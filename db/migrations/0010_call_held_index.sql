-- Finds the live calls of a process, as call_live_idx does, but for nobody who does not ask for a process. Postgres takes each index of
-- live calls for nearly empty, and walked over call_live_idx, with all versions that an open snapshot keeps, to count those of an account.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS call_held_idx;
CREATE INDEX CONCURRENTLY call_held_idx ON call (worker_id) WHERE stage = 'live' AND worker_id IS NOT NULL;
SET lock_timeout = '5s';
