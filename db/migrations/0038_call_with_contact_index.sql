-- Finds the calls of a contact: at one instant there are few, so an entry needs no id.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS call_with_contact_idx;
CREATE INDEX CONCURRENTLY call_with_contact_idx ON call (contact_id, created_at) WHERE contact_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS call_of_contact_idx;
SET lock_timeout = '5s';
