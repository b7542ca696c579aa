-- The session by which a person listens in: who signs out hears no more. NULL: a key, or a listener of a process of the version before.

-- +goose Up
ALTER TABLE call_listener ADD COLUMN session_id uuid;
