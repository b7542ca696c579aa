-- People who sign in: who they are, what they may do in which account, how they get in, and what was changed by whom.

-- +goose Up

-- Somebody who signs in, with the same password for all accounts. Whoever has no password yet comes in by a link.
CREATE TABLE person (
    id uuid PRIMARY KEY,
    email text NOT NULL,
    name text NOT NULL DEFAULT '',
    locale text NOT NULL DEFAULT 'en' CHECK (locale IN ('en', 'nl')),
    time_zone text NOT NULL DEFAULT 'UTC',
    password_hash text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX person_email_key ON person (lower(email));

-- joined_at NULL: invited, and may do nothing yet.
CREATE TABLE membership (
    account_id uuid NOT NULL REFERENCES account (id),
    person_id uuid NOT NULL REFERENCES person (id),
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'viewer')),
    joined_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, person_id)
);
CREATE INDEX membership_person_idx ON membership (person_id);

-- A link that signs a person in to an account, once. It goes with the membership.
CREATE TABLE login_link (
    hash bytea PRIMARY KEY,
    account_id uuid NOT NULL,
    person_id uuid NOT NULL,
    purpose text NOT NULL CHECK (purpose IN ('setup', 'sign-in', 'reset', 'invite')),
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT login_link_person_id_fkey FOREIGN KEY (account_id, person_id) REFERENCES membership (account_id, person_id) ON DELETE CASCADE
);
CREATE INDEX login_link_person_idx ON login_link (account_id, person_id);
CREATE INDEX login_link_expires_at_idx ON login_link (expires_at);

-- A session is a key that a cookie carries. It acts as its person, whose membership it goes with.
ALTER TABLE api_key
    ADD COLUMN kind text NOT NULL DEFAULT 'key' CHECK (kind IN ('key', 'session')),
    ADD COLUMN person_id uuid,
    ADD COLUMN address inet,
    ADD COLUMN user_agent text,
    ADD CONSTRAINT api_key_session_check CHECK ((kind = 'session') = (person_id IS NOT NULL)),
    ADD CONSTRAINT api_key_person_id_fkey FOREIGN KEY (account_id, person_id) REFERENCES membership (account_id, person_id) ON DELETE CASCADE;
CREATE INDEX api_key_person_idx ON api_key (person_id, account_id) WHERE person_id IS NOT NULL;

-- Wrong passwords, by the hash of what they are counted under. UNLOGGED: who guesses while the database crashes gets ten more.
CREATE UNLOGGED TABLE sign_in_attempt (
    key bytea PRIMARY KEY,
    tries integer NOT NULL,
    began_at timestamptz NOT NULL DEFAULT now()
);

-- What was changed, and by whom: a person, a key, or with neither the operator. Neither is referenced, since entries outlive both.
CREATE TABLE audit_entry (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    person_id uuid,
    api_key_id uuid,
    operation text NOT NULL,
    resource_id uuid,
    address inet,
    user_agent text NOT NULL,
    request_id text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id)
);
CREATE INDEX audit_entry_operation_idx ON audit_entry (account_id, operation, id);
CREATE INDEX audit_entry_person_idx ON audit_entry (person_id, account_id, id) WHERE person_id IS NOT NULL;
