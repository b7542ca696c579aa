-- How many calls an account runs at once, why a queued call waits, and what is asked of live calls.

-- +goose Up
ALTER TABLE account
    ADD max_concurrent_calls integer NOT NULL DEFAULT 10 CHECK (max_concurrent_calls BETWEEN 0 AND 100000),
    ADD reserved_inbound_calls integer NOT NULL DEFAULT 0 CHECK (reserved_inbound_calls >= 0),
    ADD CHECK (reserved_inbound_calls <= max_concurrent_calls);

-- explanation says why a queued call waits. The places that an account uses are its live calls themselves, so that no
-- crash can leak one.
ALTER TABLE call ADD explanation text;
CREATE INDEX call_queued_idx ON call (account_id, id) WHERE status = 'queued';
CREATE INDEX call_place_idx ON call (account_id, direction) WHERE status IN ('dialing', 'ringing', 'in-progress', 'forwarding');

CREATE TABLE call_command (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    call_id uuid NOT NULL,
    type text NOT NULL CHECK (type IN ('say', 'add-message', 'end-call', 'transfer')),
    body jsonb NOT NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'done', 'failed')),
    error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    UNIQUE (account_id, id),
    CONSTRAINT call_command_call_id_fkey FOREIGN KEY (account_id, call_id) REFERENCES call (account_id, id) ON DELETE CASCADE,
    CHECK ((status = 'pending') = (finished_at IS NULL)),
    CHECK ((status = 'failed') = (error IS NOT NULL))
);
CREATE INDEX call_command_call_idx ON call_command (account_id, call_id, id);
CREATE INDEX call_command_pending_idx ON call_command (call_id, id) WHERE status = 'pending';
