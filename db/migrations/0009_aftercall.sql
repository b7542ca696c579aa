-- What happens after a call: its analysis, the tools that it used, the next attempt of a scheduled call, and mail.

-- +goose Up
ALTER TABLE call
    ADD COLUMN analysis text CHECK (analysis IN ('pending', 'done', 'failed')),
    ADD COLUMN analysis_error text,
    ADD COLUMN structured_data_multi jsonb;

-- The call whose end was followed up by the retry plan, so that no end is followed up twice.
ALTER TABLE scheduled_call ADD COLUMN followed_call_id uuid;

CREATE TABLE call_tool_call (
    call_id uuid NOT NULL,
    position integer NOT NULL,
    account_id uuid NOT NULL,
    tool_call_id text NOT NULL,
    name text NOT NULL,
    arguments jsonb NOT NULL DEFAULT '{}',
    result text,
    error text,
    seconds_from_start double precision NOT NULL,
    duration_ms integer NOT NULL,
    PRIMARY KEY (call_id, position),
    CONSTRAINT call_tool_call_call_id_fkey FOREIGN KEY (account_id, call_id) REFERENCES call (account_id, id) ON DELETE CASCADE
);

-- One row per recipient. key names the occasion: an occasion sends one mail, however often its job runs. The content is
-- personal data and goes when the mail has gone.
CREATE TABLE mail (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    call_id uuid,
    key text NOT NULL,
    recipient text NOT NULL,
    content jsonb,
    status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'sent', 'failed')),
    attempts integer NOT NULL DEFAULT 0,
    claimed_until timestamptz,
    error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    UNIQUE (account_id, key),
    CONSTRAINT mail_call_id_fkey FOREIGN KEY (account_id, call_id) REFERENCES call (account_id, id) ON DELETE CASCADE
);
CREATE INDEX mail_call_idx ON mail (call_id) WHERE call_id IS NOT NULL;
CREATE INDEX mail_finished_idx ON mail (updated_at) WHERE status <> 'queued';
