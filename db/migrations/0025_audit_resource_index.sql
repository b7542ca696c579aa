-- Finds what was done to a resource: without it that walks over all entries of the account.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS audit_entry_resource_idx;
CREATE INDEX CONCURRENTLY audit_entry_resource_idx ON audit_entry (account_id, resource_id, id) WHERE resource_id IS NOT NULL;
SET lock_timeout = '5s';
