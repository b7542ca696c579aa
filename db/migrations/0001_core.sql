-- Accounts, keys, assistants, numbers, contacts, calls and events.
-- Tenancy is a key: parents are UNIQUE (account_id, id), children reference (account_id, parent_id).
-- Ids are UUIDv7 made by the program; states are text with a CHECK, moved by compare-and-set only.

-- +goose Up
CREATE TABLE account (
    id uuid PRIMARY KEY,
    email text NOT NULL UNIQUE,
    name text NOT NULL,
    subscription_status text NOT NULL DEFAULT 'none' CHECK (subscription_status IN ('none', 'active', 'past_due', 'canceled')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE api_key (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    name text NOT NULL,
    mode text NOT NULL CHECK (mode IN ('live', 'test')),
    prefix text NOT NULL,
    hash bytea NOT NULL UNIQUE,
    requests_per_minute integer NOT NULL DEFAULT 100 CHECK (requests_per_minute > 0),
    expires_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id)
);

-- One row per key: the requests of the current minute. UNLOGGED: a count worth one minute needs no WAL.
CREATE UNLOGGED TABLE rate_window (
    api_key_id uuid PRIMARY KEY,
    window_start timestamptz NOT NULL,
    hits integer NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE idempotency_key (
    account_id uuid NOT NULL REFERENCES account (id),
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    status integer NOT NULL,
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_key_created_at_idx ON idempotency_key (created_at);

CREATE TABLE assistant (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    name text NOT NULL,
    config jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    UNIQUE (account_id, id)
);
CREATE INDEX assistant_live_idx ON assistant (account_id, id DESC) WHERE deleted_at IS NULL;

-- Where events go: one row per account (assistant_id NULL) and one per assistant that names a server of its own.
-- The account's row always exists, so there is always a secret to sign with.
CREATE TABLE webhook_endpoint (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    assistant_id uuid,
    url text,
    secret text,
    previous_secret text,
    previous_secret_expires_at timestamptz,
    headers jsonb NOT NULL DEFAULT '{}',
    timeout_seconds integer NOT NULL DEFAULT 7,
    events text[] NOT NULL DEFAULT '{status-update,end-of-call-report}',
    enabled boolean NOT NULL DEFAULT true,
    disabled_reason text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (account_id, assistant_id),
    CONSTRAINT webhook_endpoint_assistant_id_fkey FOREIGN KEY (account_id, assistant_id) REFERENCES assistant (account_id, id),
    CHECK (assistant_id IS NOT NULL OR secret IS NOT NULL)
);

-- A default number belongs to nobody (account_id NULL) and is shared; a custom number belongs to one account.
CREATE TABLE phone_number (
    id uuid PRIMARY KEY,
    account_id uuid REFERENCES account (id),
    number text NOT NULL UNIQUE,
    origin text NOT NULL CHECK (origin IN ('default', 'custom')),
    type text CHECK (type IN ('local', 'mobile', 'national')),
    locality text,
    status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'released')),
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (id, origin),
    UNIQUE (account_id, id),
    CHECK ((origin = 'default') = (account_id IS NULL))
);
CREATE INDEX phone_number_default_idx ON phone_number (id DESC) WHERE account_id IS NULL;

-- The number of an assistant. The constraints are the rules: one number per assistant, a custom number has one
-- assistant, an account links default numbers to one assistant only, and a custom number must be the account's own.
CREATE TABLE phone_number_link (
    account_id uuid NOT NULL,
    assistant_id uuid NOT NULL,
    phone_number_id uuid NOT NULL,
    origin text NOT NULL,
    owner_id uuid GENERATED ALWAYS AS (CASE WHEN origin = 'custom' THEN account_id END) STORED,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, assistant_id),
    CONSTRAINT phone_number_link_assistant_id_fkey FOREIGN KEY (account_id, assistant_id) REFERENCES assistant (account_id, id),
    CONSTRAINT phone_number_link_phone_number_id_fkey FOREIGN KEY (phone_number_id, origin) REFERENCES phone_number (id, origin),
    CONSTRAINT phone_number_link_owner_fkey FOREIGN KEY (owner_id, phone_number_id) REFERENCES phone_number (account_id, id)
);
CREATE UNIQUE INDEX phone_number_link_custom_key ON phone_number_link (phone_number_id) WHERE origin = 'custom';
CREATE UNIQUE INDEX phone_number_link_default_key ON phone_number_link (account_id) WHERE origin = 'default';
CREATE INDEX phone_number_link_number_idx ON phone_number_link (phone_number_id);

CREATE TABLE contact (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    phone_number text NOT NULL,
    full_name text,
    email text,
    address text,
    org_id text,
    last_interaction_at timestamptz,
    last_interaction_summary text,
    meeting_date timestamptz,
    meeting_event_id text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    UNIQUE (account_id, id)
);
CREATE UNIQUE INDEX contact_phone_number_key ON contact (account_id, phone_number) WHERE deleted_at IS NULL;
CREATE INDEX contact_live_idx ON contact (account_id, id DESC) WHERE deleted_at IS NULL;

CREATE TABLE scheduled_call (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    assistant_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    status text NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'processed', 'canceled')),
    scheduled_time timestamptz NOT NULL,
    simulated boolean NOT NULL,
    instruction text,
    variables jsonb NOT NULL DEFAULT '{}',
    retry jsonb,
    "window" jsonb,
    attempt integer NOT NULL DEFAULT 0,
    call_id uuid,
    explanation text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    CONSTRAINT scheduled_call_assistant_id_fkey FOREIGN KEY (account_id, assistant_id) REFERENCES assistant (account_id, id),
    CONSTRAINT scheduled_call_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contact (account_id, id)
);
CREATE INDEX scheduled_call_waiting_assistant_idx ON scheduled_call (account_id, assistant_id) WHERE status = 'scheduled';
CREATE INDEX scheduled_call_waiting_contact_idx ON scheduled_call (account_id, contact_id) WHERE status = 'scheduled';

CREATE TABLE call (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    direction text NOT NULL CHECK (direction IN ('inbound', 'outbound')),
    status text NOT NULL CHECK (status IN ('queued', 'dialing', 'ringing', 'in-progress', 'forwarding',
        'completed', 'missed', 'busy', 'no-answer', 'voicemail', 'failed', 'canceled')),
    simulated boolean NOT NULL,
    assistant_id uuid NOT NULL,
    assistant_name text NOT NULL,
    assistant_config jsonb,
    contact_id uuid,
    contact_name text,
    contact_phone_number text NOT NULL,
    phone_number_id uuid NOT NULL REFERENCES phone_number (id),
    phone_number text NOT NULL,
    scheduled_call_id uuid,
    custom_data jsonb NOT NULL DEFAULT '{}',
    variables jsonb NOT NULL DEFAULT '{}',
    instruction text,
    timeline jsonb NOT NULL DEFAULT '[]',
    worker_id text,
    sip_call_id text,
    sip_dialog jsonb,
    sip_code integer,
    started_at timestamptz,
    ended_at timestamptz,
    ended_reason text,
    ended_fault text CHECK (ended_fault IN ('customer', 'assistant', 'carrier', 'provider', 'config', 'platform')),
    error text,
    summary text,
    success_evaluation text,
    structured_data jsonb,
    latency jsonb,
    recording_key text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    CONSTRAINT call_assistant_id_fkey FOREIGN KEY (account_id, assistant_id) REFERENCES assistant (account_id, id),
    CONSTRAINT call_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contact (account_id, id),
    CONSTRAINT call_scheduled_call_id_fkey FOREIGN KEY (account_id, scheduled_call_id) REFERENCES scheduled_call (account_id, id)
);
ALTER TABLE scheduled_call ADD CONSTRAINT scheduled_call_call_id_fkey FOREIGN KEY (account_id, call_id) REFERENCES call (account_id, id);
CREATE INDEX call_live_idx ON call (worker_id) WHERE status IN ('dialing', 'ringing', 'in-progress', 'forwarding');
CREATE INDEX call_contact_idx ON call (account_id, contact_id, id DESC) WHERE contact_id IS NOT NULL;
CREATE INDEX call_scheduled_call_idx ON call (account_id, scheduled_call_id) WHERE scheduled_call_id IS NOT NULL;

CREATE TABLE call_turn (
    call_id uuid NOT NULL,
    position integer NOT NULL,
    account_id uuid NOT NULL,
    role text NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    text text NOT NULL,
    seconds_from_start double precision NOT NULL,
    interrupted boolean NOT NULL DEFAULT false,
    PRIMARY KEY (call_id, position),
    CONSTRAINT call_turn_call_id_fkey FOREIGN KEY (account_id, call_id) REFERENCES call (account_id, id) ON DELETE CASCADE
);

-- One row per fact, written in the transaction of the fact. position orders facts by cause; sequence is the
-- account's public, gap-free number, given after commit. Until it has one, no reader and no delivery sees the event.
CREATE TABLE event (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id uuid NOT NULL UNIQUE,
    account_id uuid NOT NULL REFERENCES account (id),
    sequence bigint,
    type text NOT NULL,
    call_id uuid,
    payload jsonb NOT NULL,
    delivery text NOT NULL CHECK (delivery IN ('none', 'pending', 'delivered', 'dead')),
    attempts integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, sequence)
);
CREATE INDEX event_unnumbered_idx ON event (account_id, position) WHERE sequence IS NULL;
CREATE INDEX event_call_idx ON event (account_id, call_id, sequence) WHERE call_id IS NOT NULL;
CREATE UNIQUE INDEX event_end_of_call_report_key ON event (call_id) WHERE type = 'end-of-call-report';

CREATE TABLE event_counter (
    account_id uuid PRIMARY KEY REFERENCES account (id),
    last bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE delivery_attempt (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    event_id uuid NOT NULL,
    attempt integer NOT NULL,
    url text NOT NULL,
    status_code integer,
    latency_ms integer NOT NULL,
    answer text NOT NULL DEFAULT '',
    error text,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX delivery_attempt_event_idx ON delivery_attempt (account_id, event_id, id);
