-- What a call had used when a turn was written, for calls whose process dies. NULL: as much as at the turn before.

-- +goose Up
ALTER TABLE call_turn ADD COLUMN usage jsonb;
