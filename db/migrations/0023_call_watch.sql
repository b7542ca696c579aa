-- Calls whose transcript somebody watches as it is made: the worker that writes a turn of one tells of it.

-- +goose Up

-- A lease, which the event stream of who watches renews.
CREATE TABLE call_watch (
    account_id uuid NOT NULL,
    call_id uuid NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, call_id),
    CONSTRAINT call_watch_call_id_fkey FOREIGN KEY (account_id, call_id) REFERENCES call (account_id, id) ON DELETE CASCADE
);
