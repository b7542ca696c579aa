-- Lets counts be deleted while the table is published: it has no key, and without one Postgres refuses that. Who upgrades Postgres by logical
-- replication publishes all tables.

-- +goose Up
ALTER TABLE list_count_delta REPLICA IDENTITY FULL;
