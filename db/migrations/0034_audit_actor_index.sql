-- Finds what a person or a key did: without it that walks over all entries of the account. An entry is of one of them, or of neither.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS audit_entry_actor_idx;
CREATE INDEX CONCURRENTLY audit_entry_actor_idx ON audit_entry (account_id, coalesce(person_id, api_key_id), id);
SET lock_timeout = '5s';
