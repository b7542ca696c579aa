-- Who has said a turn that is not its role's own: operator, a colleague who has barged in on the call. NULL: who the role says.

-- +goose Up
ALTER TABLE call_turn ADD COLUMN speaker text;
