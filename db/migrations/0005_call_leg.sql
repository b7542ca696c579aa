-- Second legs of calls: whom a worker rings for a caller who is to be put through, and how a SIP connection transfers.

-- +goose Up
CREATE TABLE call_leg (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    call_id uuid NOT NULL,
    destination text NOT NULL,
    mode text NOT NULL,
    simulated boolean NOT NULL,
    status text NOT NULL DEFAULT 'dialing' CHECK (status IN ('joined', 'dialing', 'ringing', 'in-progress',
        'completed', 'busy', 'no-answer', 'voicemail', 'declined', 'canceled', 'failed')),
    sip_call_id text,
    sip_dialog jsonb,
    sip_code integer,
    reserved_seconds integer,
    error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    joined_at timestamptz,
    ended_at timestamptz,
    CONSTRAINT call_leg_call_id_fkey FOREIGN KEY (account_id, call_id) REFERENCES call (account_id, id) ON DELETE CASCADE
);
CREATE INDEX call_leg_call_idx ON call_leg (account_id, call_id);
-- One at a time, which takes a place of its account.
CREATE UNIQUE INDEX call_leg_live_key ON call_leg (account_id, call_id) WHERE ended_at IS NULL;

-- Those that take a place: a process of the version before ends a call without its legs.
CREATE VIEW live_call_leg AS
SELECT call_leg.account_id, call_leg.reserved_seconds FROM call_leg
JOIN call ON call.account_id = call_leg.account_id AND call.id = call_leg.call_id
WHERE call_leg.ended_at IS NULL AND call.stage = 'live';

ALTER TABLE sip_connection ADD COLUMN transfer text NOT NULL DEFAULT 'auto' CHECK (transfer IN ('auto', 'refer', 'bridge'));
