-- Has the index of events by time take a line for each megabyte in place of 69 bytes for each event. Only replays go by time: numbers are given in
-- the order of time, so they find the first and the last of their events by halving the numbers in between. Processes of the version before
-- use this index, which goes with a later release.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS event_time_idx;
CREATE INDEX CONCURRENTLY event_time_idx ON event USING brin (created_at);
DROP INDEX CONCURRENTLY IF EXISTS event_created_at_idx;
SET lock_timeout = '5s';
