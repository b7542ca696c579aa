-- Appointments that assistants make in calls, and text messages to callers.

-- +goose Up
-- calendar names what an appointment is made in: assistants with one feed share it. It is a digest, because a feed's address
-- lets anyone in who knows it. Test calls book among themselves (simulated).
CREATE TABLE appointment (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    assistant_id uuid NOT NULL,
    call_id uuid NOT NULL,
    contact_id uuid,
    calendar text NOT NULL,
    simulated boolean NOT NULL,
    type text NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    CHECK (ends_at > starts_at),
    CONSTRAINT appointment_assistant_id_fkey FOREIGN KEY (account_id, assistant_id) REFERENCES assistant (account_id, id),
    CONSTRAINT appointment_call_id_fkey FOREIGN KEY (account_id, call_id) REFERENCES call (account_id, id),
    CONSTRAINT appointment_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contact (account_id, id)
);
CREATE INDEX appointment_calendar_idx ON appointment (account_id, calendar, starts_at);
CREATE INDEX appointment_call_idx ON appointment (call_id);

-- One row per call. The content is personal data and goes when the message has gone.
CREATE TABLE sms (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    call_id uuid NOT NULL UNIQUE,
    simulated boolean NOT NULL,
    recipient text NOT NULL,
    content text,
    status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'sending', 'sent', 'failed')),
    attempts integer NOT NULL DEFAULT 0,
    provider text,
    provider_id text,
    error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    CONSTRAINT sms_call_id_fkey FOREIGN KEY (account_id, call_id) REFERENCES call (account_id, id) ON DELETE CASCADE
);
CREATE INDEX sms_finished_idx ON sms (updated_at) WHERE status IN ('sent', 'failed');
