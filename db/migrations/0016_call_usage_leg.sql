-- For how long colleagues were connected whom a worker rang to put callers through: minutes of calls that go out, whichever way the
-- caller came.

-- +goose Up
ALTER TABLE call_usage ADD COLUMN leg_ms bigint NOT NULL DEFAULT 0;
