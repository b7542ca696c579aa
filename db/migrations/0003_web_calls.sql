-- Calls of browsers: they have no number of ours, and the browser's offer waits here for a worker. Web tokens let a page make them.

-- +goose Up
ALTER TABLE call ADD COLUMN channel text NOT NULL DEFAULT 'phone';
ALTER TABLE call ADD CONSTRAINT call_channel_check CHECK (channel IN ('phone', 'web')) NOT VALID;
ALTER TABLE call ALTER COLUMN phone_number_id DROP NOT NULL;
ALTER TABLE call ADD CONSTRAINT call_phone_number_id_check CHECK (phone_number_id IS NOT NULL OR channel = 'web') NOT VALID;

-- A token opens one operation for the pages of its origins, so many times. calls are those that it has made.
CREATE TABLE web_token (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    assistant_id uuid NOT NULL,
    contact_id uuid,
    test boolean NOT NULL,
    prefix text NOT NULL,
    hash bytea NOT NULL UNIQUE,
    origins text[] NOT NULL,
    variables jsonb NOT NULL DEFAULT '{}',
    max_calls integer NOT NULL CHECK (max_calls > 0),
    calls integer NOT NULL DEFAULT 0 CHECK (calls BETWEEN 0 AND max_calls),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    CONSTRAINT web_token_assistant_id_fkey FOREIGN KEY (account_id, assistant_id) REFERENCES assistant (account_id, id),
    CONSTRAINT web_token_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contact (account_id, id)
);
CREATE INDEX web_token_account_idx ON web_token (account_id, id);
CREATE INDEX web_token_expires_idx ON web_token (expires_at);
CREATE INDEX web_token_contact_idx ON web_token (account_id, contact_id) WHERE contact_id IS NOT NULL;

-- offered -> claimed by a worker (call.worker_id) -> answered or refused -> read by the API process that waits, after which the
-- texts are gone and expires_at is infinity. One that expires unclaimed ends its call.
CREATE TABLE web_offer (
    call_id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    web_token_id uuid,
    offer text NOT NULL,
    answer text,
    failure text,
    expires_at timestamptz NOT NULL,
    CONSTRAINT web_offer_call_id_fkey FOREIGN KEY (account_id, call_id) REFERENCES call (account_id, id) ON DELETE CASCADE,
    CONSTRAINT web_offer_web_token_id_fkey FOREIGN KEY (account_id, web_token_id) REFERENCES web_token (account_id, id) ON DELETE SET NULL (web_token_id)
);
CREATE INDEX web_offer_open_idx ON web_offer (expires_at) WHERE expires_at < 'infinity';
CREATE INDEX web_offer_call_idx ON web_offer (account_id, call_id);
CREATE INDEX web_offer_token_idx ON web_offer (account_id, web_token_id) WHERE web_token_id IS NOT NULL;
