-- A call's secret is written as its INVITE leaves, and for the sake of this index each of the other eight had a new entry then. Only a
-- rotation of the seal keys looks for the secrets of a key, and walks over the calls to seal them anew.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS call_recording_secret_idx;
SET lock_timeout = '5s';
