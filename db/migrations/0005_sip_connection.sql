-- Calls that come in, and the customers' own SIP accounts over which they may.

-- +goose Up

-- Who called this caller last from a shared number, so that a call back finds its way.
CREATE INDEX call_call_back_idx ON call (phone_number_id, contact_phone_number, id DESC) WHERE direction = 'outbound';
-- An INVITE that reaches us on two ways makes one call.
CREATE UNIQUE INDEX call_inbound_key ON call (sip_call_id)
    WHERE direction = 'inbound' AND status IN ('ringing', 'in-progress', 'forwarding');

-- A customer's account at a SIP provider. The process in worker_id keeps it registered; whoever finds that process dead
-- gives it to another one. A test asks for a new registration by raising wanted; done follows it with the outcome.
CREATE TABLE sip_connection (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    phone_number_id uuid NOT NULL UNIQUE,
    simulated boolean NOT NULL,
    sip_username text NOT NULL,
    sip_password text NOT NULL,
    sip_proxy text NOT NULL,
    provider_name text NOT NULL,
    status text NOT NULL DEFAULT 'registering' CHECK (status IN ('registering', 'registered', 'failed')),
    last_error text,
    sip_code integer,
    registered_until timestamptz,
    worker_id text,
    wanted integer NOT NULL DEFAULT 1,
    done integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    CONSTRAINT sip_connection_phone_number_id_fkey FOREIGN KEY (account_id, phone_number_id) REFERENCES phone_number (account_id, id)
);
CREATE INDEX sip_connection_account_idx ON sip_connection (account_id, id DESC);
CREATE INDEX sip_connection_worker_idx ON sip_connection (worker_id);
