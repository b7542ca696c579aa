-- call_held_idx has taken its place. Processes of the version before find their calls by that, too.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS call_live_idx;
SET lock_timeout = '5s';
