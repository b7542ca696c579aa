-- Instant agents: what an assistant is to be made of, while it is made.

-- +goose Up
CREATE TABLE instant_agent (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    phone_number_id uuid NOT NULL REFERENCES phone_number (id),
    company_name text NOT NULL,
    agent_name text NOT NULL,
    request jsonb NOT NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'ready', 'failed', 'expired')),
    assistant_id uuid,
    failure text CHECK (failure IN ('website_refused', 'website_failed', 'website_slow', 'number_gone', 'number_in_use')),
    error text,
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    UNIQUE (account_id, id),
    CONSTRAINT instant_agent_assistant_id_fkey FOREIGN KEY (account_id, assistant_id) REFERENCES assistant (account_id, id),
    CHECK ((status = 'ready') = (assistant_id IS NOT NULL)),
    CHECK ((status = 'failed') = (failure IS NOT NULL AND error IS NOT NULL)),
    CHECK ((status = 'pending') = (finished_at IS NULL))
);
CREATE INDEX instant_agent_pending_idx ON instant_agent (account_id) WHERE status = 'pending';
CREATE INDEX instant_agent_created_at_idx ON instant_agent (created_at);
