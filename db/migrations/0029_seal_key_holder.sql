-- Which key each process seals with, for whoever rotates the keys: a process that was not restarted with the new one could open
-- nothing that is sealed with it, and make no more calls.

-- +goose Up

-- A process says so every few seconds; see db.ReportSealKey. session is the application_name of its sessions, as in process_lease.
CREATE TABLE seal_key_holder (
    session text PRIMARY KEY,
    process text NOT NULL,
    key_id text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
