-- The schema as it is first released, by subject: accounts, assistants, phone numbers, contacts, scheduled calls, calls,
-- events, totals of lists, mail and text messages, appointments, verification and orders of numbers, credits, the simulated
-- carrier, SIP connections, knowledge bases, instant agents.
--
-- Tenancy is a key: parents are UNIQUE (account_id, id), children reference (account_id, parent_id).
-- Ids are UUIDv7 made by the program; states are text with a CHECK, moved by compare-and-set only.

-- +goose Up

-- Accounts ------------------------------------------------------------------------------------------------------------

-- requests_per_minute is what the account's keys share: ten times the highest rate that one of them was given.
-- credits is the balance, which nobody writes: each entry of the ledger moves it, by one conditional update that locks the
-- account, so it is the sum of the entries at any time and never below zero.
-- allowed_countries are those that may be called and written to (ISO 3166); NULL: those of package jobs/spending. NULL in one of
-- the limits behind it: none. keep_*: for how many days such things are kept, 0 for ever; NULL: as the deployment says.
CREATE TABLE account (
    id uuid PRIMARY KEY,
    email text NOT NULL UNIQUE,
    name text NOT NULL,
    company_name text,
    phone_number text,
    subscription_status text NOT NULL DEFAULT 'none' CHECK (subscription_status IN ('none', 'active', 'past_due', 'canceled')),
    max_concurrent_calls integer NOT NULL DEFAULT 10 CHECK (max_concurrent_calls BETWEEN 0 AND 100000),
    reserved_inbound_calls integer NOT NULL DEFAULT 0 CHECK (reserved_inbound_calls >= 0),
    max_knowledge_documents integer NOT NULL DEFAULT 1000 CHECK (max_knowledge_documents >= 0),
    allowed_countries text[],
    max_calls_per_number integer DEFAULT 20 CHECK (max_calls_per_number BETWEEN 0 AND 1000),
    max_daily_minutes integer DEFAULT 1440 CHECK (max_daily_minutes BETWEEN 0 AND 10000000),
    max_daily_texts integer DEFAULT 200 CHECK (max_daily_texts >= 0),
    keep_transcripts integer CHECK (keep_transcripts >= 0),
    keep_recordings integer CHECK (keep_recordings >= 0),
    keep_events integer CHECK (keep_events >= 0),
    keep_calls integer CHECK (keep_calls >= 0),
    requests_per_minute integer NOT NULL DEFAULT 1000 CHECK (requests_per_minute > 0),
    credits integer NOT NULL DEFAULT 0 CHECK (credits >= 0),
    credit_entries integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT account_credits_start_check CHECK (credits = 0 OR credit_entries > 0),
    CHECK (reserved_inbound_calls <= max_concurrent_calls)
);

-- The accounts that were deleted with all that was theirs. The id stays, so that a file that is left of one is known to be nobody's.
CREATE TABLE deleted_account (
    id uuid PRIMARY KEY,
    deleted_at timestamptz NOT NULL DEFAULT now()
);

-- A scope contains those before it: read, write, admin. replaced_by is the key that a rotation made.
CREATE TABLE api_key (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    name text NOT NULL,
    mode text NOT NULL CHECK (mode IN ('live', 'test')),
    scope text NOT NULL DEFAULT 'write' CHECK (scope IN ('read', 'write', 'admin')),
    prefix text NOT NULL,
    hash bytea NOT NULL UNIQUE,
    requests_per_minute integer NOT NULL DEFAULT 100 CHECK (requests_per_minute > 0),
    replaced_by uuid,
    expires_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    CONSTRAINT api_key_replaced_by_fkey FOREIGN KEY (account_id, replaced_by) REFERENCES api_key (account_id, id)
);

-- One row per key: the requests of the current minute. UNLOGGED: a count worth one minute needs no WAL.
CREATE UNLOGGED TABLE rate_window (
    api_key_id uuid PRIMARY KEY,
    window_start timestamptz NOT NULL,
    hits integer NOT NULL
) WITH (fillfactor = 50);

-- The same for all keys of an account together.
CREATE UNLOGGED TABLE account_rate_window (
    account_id uuid PRIMARY KEY,
    window_start timestamptz NOT NULL,
    hits integer NOT NULL
) WITH (fillfactor = 50);

-- Wrong passwords of the operator's pages, by address: an IPv4 address or a network /64 of IPv6. UNLOGGED: who guesses
-- while the database crashes gets ten more.
CREATE UNLOGGED TABLE operator_attempt (
    address inet PRIMARY KEY,
    failures integer NOT NULL DEFAULT 1,
    failed_at timestamptz NOT NULL DEFAULT now(),
    waits_until timestamptz NOT NULL DEFAULT now()
);

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

-- Assistants ----------------------------------------------------------------------------------------------------------

-- test: a test key made it. Test keys may change it, and it takes no real calls from outside.
CREATE TABLE assistant (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    test boolean NOT NULL DEFAULT false,
    name text NOT NULL,
    config jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    UNIQUE (account_id, id)
);
CREATE INDEX assistant_live_idx ON assistant (account_id, id DESC) WHERE deleted_at IS NULL;

-- Where events go: one row per account (assistant_id NULL) and one per assistant that names a server of its own. The
-- account's row always exists, so there is always a secret to sign with.
-- failures and dead_in_row count since the last success. From the tenth failure on the endpoint is in cooldown until
-- retry_at, when one delivery probes it; failed_probes makes the next cooldown longer.
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
    failures integer NOT NULL DEFAULT 0,
    dead_in_row integer NOT NULL DEFAULT 0,
    failed_probes integer NOT NULL DEFAULT 0,
    retry_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (account_id, assistant_id),
    CONSTRAINT webhook_endpoint_assistant_id_fkey FOREIGN KEY (account_id, assistant_id) REFERENCES assistant (account_id, id),
    CHECK (assistant_id IS NOT NULL OR secret IS NOT NULL)
);

-- Phone numbers -------------------------------------------------------------------------------------------------------

-- A default number belongs to nobody (account_id NULL) and is shared; a custom number belongs to one account. Where a
-- custom number came from: the order that bought it, and what the carrier calls the purchase, which is needed to release
-- that purchase and no later one. Numbers of a SIP connection have neither. An operator may give the calls that come in on a
-- default number to one account: inbound_account_id.
CREATE TABLE phone_number (
    id uuid PRIMARY KEY,
    account_id uuid REFERENCES account (id),
    number text NOT NULL,
    origin text NOT NULL CHECK (origin IN ('default', 'custom')),
    simulated boolean NOT NULL DEFAULT false,
    type text CHECK (type IN ('local', 'mobile', 'national')),
    locality text,
    status text NOT NULL DEFAULT 'active' CHECK (status IN ('pending', 'active', 'releasing', 'released')),
    phone_number_order_id uuid,
    carrier_number_id text,
    inbound_account_id uuid REFERENCES account (id),
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (id, origin),
    UNIQUE (account_id, id),
    CHECK ((origin = 'default') = (account_id IS NULL)),
    CHECK (inbound_account_id IS NULL OR origin = 'default')
);
-- A number that was released may be ordered anew; while the release is under way the number is still in use.
-- Several accounts may try to bring a number: it is nobody's until the proxy of one has registered it. Numbers of the
-- simulated network are others than real ones that are written the same.
CREATE UNIQUE INDEX phone_number_number_key ON phone_number (number, simulated) WHERE status IN ('active', 'releasing');
CREATE UNIQUE INDEX phone_number_pending_key ON phone_number (account_id, number, simulated) WHERE status = 'pending';
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

-- Contacts ------------------------------------------------------------------------------------------------------------

-- Part of a name is found by its grams, the texts of one, two and three characters in it.
-- +goose StatementBegin
CREATE FUNCTION name_grams(name text, smallest integer DEFAULT 1) RETURNS SETOF text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 60 AS $$
    SELECT DISTINCT substr(name, start, size)
    FROM generate_series(smallest, 3) AS size, generate_series(1, length(name) - size + 1) AS start
$$;
-- +goose StatementEnd

-- Each gram is hashed together with the account, so that a search never meets another account's contacts. It calls no
-- name_grams and drops no repetitions, which the index does by itself: that is ten times faster.
-- +goose StatementBegin
CREATE FUNCTION contact_grams(account_id uuid, name text, smallest integer) RETURNS bigint[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT array_agg(hashtextextended(substr(name, start, size), uuid_hash_extended(account_id, 0)))
    FROM generate_series(smallest, 3) AS size, generate_series(1, length(name) - size + 1) AS start
$$;
-- +goose StatementEnd

-- test: a test key made it, and test keys may change it.
-- erased_at: nothing of the person is kept, and nothing may be written again.
CREATE TABLE contact (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    test boolean NOT NULL DEFAULT false,
    phone_number text NOT NULL,
    full_name text,
    search_name text GENERATED ALWAYS AS (lower(full_name)) STORED,
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
    erased_at timestamptz,
    UNIQUE (account_id, id)
);
CREATE UNIQUE INDEX contact_phone_number_key ON contact (account_id, phone_number) WHERE deleted_at IS NULL;
CREATE INDEX contact_live_idx ON contact (account_id, id) INCLUDE (search_name, org_id) WHERE deleted_at IS NULL;
CREATE INDEX contact_org_idx ON contact (account_id, org_id, id) INCLUDE (search_name)
    WHERE deleted_at IS NULL AND org_id IS NOT NULL;
CREATE INDEX contact_email_idx ON contact (account_id, email, id) WHERE deleted_at IS NULL AND email IS NOT NULL;
CREATE INDEX contact_name_idx ON contact USING gin (contact_grams(account_id, search_name, 1)) WITH (fastupdate = off)
    WHERE deleted_at IS NULL;
CREATE INDEX contact_deleted_number_idx ON contact (account_id, phone_number) WHERE deleted_at IS NOT NULL AND erased_at IS NULL;

-- Scheduled calls -----------------------------------------------------------------------------------------------------

-- followed_call_id is the call whose end the retry plan followed up, so that no end is followed up twice.
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
    followed_call_id uuid,
    explanation text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    CONSTRAINT scheduled_call_assistant_id_fkey FOREIGN KEY (account_id, assistant_id) REFERENCES assistant (account_id, id),
    CONSTRAINT scheduled_call_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contact (account_id, id)
);
CREATE INDEX scheduled_call_waiting_assistant_idx ON scheduled_call (account_id, assistant_id) WHERE status = 'scheduled';
CREATE INDEX scheduled_call_waiting_contact_idx ON scheduled_call (account_id, contact_id) WHERE status = 'scheduled';
CREATE INDEX scheduled_call_list_idx ON scheduled_call (account_id, status, id) WHERE status <> 'canceled';
CREATE INDEX scheduled_call_assistant_idx ON scheduled_call (account_id, assistant_id, status, id) WHERE status <> 'canceled';
CREATE INDEX scheduled_call_contact_idx ON scheduled_call (account_id, contact_id, id) INCLUDE (status, assistant_id)
    WHERE status <> 'canceled';

-- Calls ---------------------------------------------------------------------------------------------------------------

-- +goose StatementBegin
CREATE FUNCTION call_stage(status text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN status IN ('dialing', 'ringing', 'in-progress', 'forwarding') THEN 'live' ELSE status END;
-- +goose StatementEnd

-- explanation says why a queued call waits. The places that an account uses are its live calls themselves, so that no
-- crash can leak one.
-- stage is status, or live for all that a call goes through while a worker has it: what is indexed, so that Postgres need not write
-- a row of each index anew whenever a call rings or is answered (HOT).
-- transferred_to is where the call is being transferred; of an ended call, where it went.
-- media is what RTP counted and RTCP reported.
-- claimed grows with each call of the account that becomes live.
-- reserved_seconds is how long an outbound call may last: so much of the account's daily minutes is kept for it while it is live.
-- recording_key says that there is a recording, and recording_missing_seconds how much of the call it lacks.
-- traceparent is the place of the call in the trace of the request that made it (W3C Trace Context).
-- deleted_at: the customer does not see the call any more; its row stays for what refers to it.
-- erased_at: what was said in the call is gone, and may not be written again.
CREATE TABLE call (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    direction text NOT NULL CHECK (direction IN ('inbound', 'outbound')),
    status text NOT NULL CHECK (status IN ('queued', 'dialing', 'ringing', 'in-progress', 'forwarding',
        'completed', 'missed', 'busy', 'no-answer', 'voicemail', 'failed', 'canceled')),
    stage text NOT NULL GENERATED ALWAYS AS (call_stage(status)) STORED,
    simulated boolean NOT NULL,
    assistant_id uuid, -- NULL: none that is stored
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
    explanation text,
    timeline jsonb NOT NULL DEFAULT '[]',
    transferred_to text,
    worker_id text,
    claimed bigint,
    not_before timestamptz,
    reserved_seconds integer,
    invited_at timestamptz,
    sip_call_id text,
    sip_dialog jsonb,
    sip_code integer,
    started_at timestamptz,
    ended_at timestamptz,
    ended_reason text,
    ended_fault text CHECK (ended_fault IN ('customer', 'assistant', 'carrier', 'provider', 'config', 'platform')),
    error text,
    latency jsonb,
    media jsonb,
    providers jsonb,
    recording_key text,
    recording_secret text,
    recording_missing_seconds double precision,
    traceparent text,
    analysis text CHECK (analysis IN ('pending', 'done', 'failed')),
    analysis_error text,
    summary text,
    success_evaluation text,
    structured_data jsonb,
    structured_data_multi jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    erased_at timestamptz,
    UNIQUE (account_id, id),
    CONSTRAINT call_assistant_id_fkey FOREIGN KEY (account_id, assistant_id) REFERENCES assistant (account_id, id),
    CONSTRAINT call_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contact (account_id, id),
    CONSTRAINT call_scheduled_call_id_fkey FOREIGN KEY (account_id, scheduled_call_id) REFERENCES scheduled_call (account_id, id)
);
-- A new version of a row has room beside the old one, and leaves the assistant's configuration where it is.
ALTER TABLE call SET (fillfactor = 50, toast_tuple_target = 1024);
ALTER TABLE call ALTER COLUMN timeline SET STORAGE MAIN;
ALTER TABLE scheduled_call ADD CONSTRAINT scheduled_call_call_id_fkey
    FOREIGN KEY (account_id, call_id) REFERENCES call (account_id, id);
CREATE INDEX scheduled_call_call_idx ON scheduled_call (account_id, call_id) WHERE call_id IS NOT NULL;

CREATE SEQUENCE call_claim;
-- +goose StatementBegin
CREATE FUNCTION call_claimed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.claimed := nextval('call_claim');
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER call_claimed_inserted BEFORE INSERT ON call FOR EACH ROW
    WHEN (NEW.status IN ('dialing', 'ringing', 'in-progress', 'forwarding')) EXECUTE FUNCTION call_claimed();
CREATE TRIGGER call_claimed_updated BEFORE UPDATE OF status ON call FOR EACH ROW
    WHEN (NEW.status IN ('dialing', 'ringing', 'in-progress', 'forwarding')
        AND OLD.status NOT IN ('dialing', 'ringing', 'in-progress', 'forwarding')) EXECUTE FUNCTION call_claimed();

-- What waits and what is live.
CREATE INDEX call_queued_idx ON call (account_id, id) WHERE stage = 'queued';
CREATE INDEX call_place_idx ON call (account_id, claimed) WHERE stage = 'live';
CREATE INDEX call_live_idx ON call (worker_id) WHERE stage = 'live';
-- An INVITE that reaches us over two routes makes one call.
CREATE UNIQUE INDEX call_inbound_key ON call (sip_call_id)
    WHERE direction = 'inbound' AND stage = 'live';
-- Whose calls from a shared number reached this caller, so that a call back finds its way.
CREATE INDEX call_call_back_idx ON call (phone_number_id, contact_phone_number, created_at) WHERE direction = 'outbound';
CREATE INDEX call_scheduled_call_idx ON call (account_id, scheduled_call_id) WHERE scheduled_call_id IS NOT NULL;

-- Lists, newest first by created_at, then by id. Of several statuses a list merges the newest of each.
CREATE INDEX call_list_idx ON call (account_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX call_status_idx ON call (account_id, stage, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX call_assistant_idx ON call (account_id, assistant_id, stage, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX call_contact_idx ON call (account_id, contact_id, created_at, id) INCLUDE (assistant_id, deleted_at)
    WHERE contact_id IS NOT NULL;

-- Erasure: the calls of a number without a contact. The sweep of files: those with a recording.
CREATE INDEX call_without_contact_idx ON call (account_id, contact_phone_number)
    WHERE contact_id IS NULL AND contact_phone_number <> '';
CREATE INDEX call_recording_idx ON call (account_id, id) WHERE recording_key IS NOT NULL;
-- The rotation of seal keys: the calls whose secrets are sealed with a key.
CREATE INDEX call_recording_secret_idx ON call (split_part(recording_secret, '.', 2)) WHERE recording_secret IS NOT NULL;

-- By month, as delivery_attempt is: see make_partition. A call's id begins with its time, so all turns of a call are in one partition.
CREATE TABLE call_turn (
    call_id uuid NOT NULL,
    position integer NOT NULL,
    account_id uuid NOT NULL,
    role text NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    text text NOT NULL,
    seconds_from_start double precision NOT NULL,
    interrupted boolean NOT NULL DEFAULT false,
    timing jsonb,
    PRIMARY KEY (call_id, position),
    CONSTRAINT call_turn_call_id_fkey FOREIGN KEY (account_id, call_id) REFERENCES call (account_id, id) ON DELETE CASCADE
) PARTITION BY RANGE (call_id);
CREATE TABLE call_turn_default PARTITION OF call_turn DEFAULT;

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

-- What is asked of a live call.
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

-- Events --------------------------------------------------------------------------------------------------------------

-- One row per fact, written in the transaction of the fact. position orders facts by cause; sequence is the account's
-- public, gap-free number, given after commit. Until it has one, no reader and no delivery sees the event.
-- redelivery counts from 0: jobs of an earlier one do nothing. failed_attempts are those of this redelivery, attempts all that
-- were ever made.
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
    redelivery integer NOT NULL DEFAULT 0,
    failed_attempts integer NOT NULL DEFAULT 0,
    pending_since timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now(),
    waits_for uuid,
    job_id bigint,
    due_at timestamptz,
    wake_at timestamptz,
    UNIQUE (account_id, sequence)
) WITH (fillfactor = 50); -- its number and its delivery are written beside it
CREATE INDEX event_unnumbered_idx ON event (account_id, position) WHERE sequence IS NULL;
-- Events that wait for a webhook endpoint that fails: there are none while all are well.
CREATE INDEX event_waiting_idx ON event (waits_for, position) WHERE waits_for IS NOT NULL;
CREATE INDEX event_waiting_call_idx ON event (call_id, position) WHERE waits_for IS NOT NULL;
CREATE UNIQUE INDEX event_end_of_call_report_key ON event (call_id) WHERE type = 'end-of-call-report';
-- Only numbered events are read: what is not numbered yet need not be in these, which spares its insertion.
CREATE INDEX event_call_idx ON event (account_id, call_id, sequence) WHERE call_id IS NOT NULL AND sequence IS NOT NULL;
CREATE INDEX event_type_idx ON event (account_id, type, sequence) WHERE sequence IS NOT NULL;
CREATE INDEX event_created_at_idx ON event (account_id, created_at, position) WHERE sequence IS NOT NULL;

-- No event of the account up to numbered_to is unnumbered, or ever will be: whoever looks for one begins behind it, and does not walk over
-- the versions of those before. Positions are drawn in order and committed in any: those up to seen_to belong to transactions
-- below seen_xid, so once these are over, and all that they wrote is numbered, numbered_to follows.
CREATE TABLE event_counter (
    account_id uuid PRIMARY KEY REFERENCES account (id),
    last bigint NOT NULL DEFAULT 0,
    numbered_to bigint NOT NULL DEFAULT 0,
    seen_to bigint NOT NULL DEFAULT 0,
    seen_xid xid8 NOT NULL DEFAULT '0'
) WITH (fillfactor = 50);

-- How far retention is in an account: the last event that was removed, and the last call whose transcript was.
CREATE TABLE retention_mark (
    account_id uuid PRIMARY KEY REFERENCES account (id),
    events bigint NOT NULL DEFAULT 0,
    transcripts uuid
) WITH (fillfactor = 50);

-- Gives the oldest unnumbered events of accounts their numbers in the accounts' sequences and returns the accounts that got
-- any. It is a function so that a sequencer needs one round trip while deliveries wait for it. The counters are locked
-- first, in one order; the statement after that sees all that the sequencer before it numbered.
-- +goose StatementBegin
CREATE FUNCTION number_events(accounts uuid[]) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
DECLARE
    over xid8; -- all transactions below it are, before the statement that numbers looks
BEGIN
    IF NOT EXISTS (
        SELECT FROM unnest(accounts) AS asked (id) LEFT JOIN event_counter ON event_counter.account_id = asked.id
        WHERE (SELECT event.position FROM event WHERE event.account_id = asked.id AND event.sequence IS NULL
            AND event.position > coalesce(event_counter.numbered_to, 0) ORDER BY event.position LIMIT 1) IS NOT NULL
    ) THEN
        RETURN;
    END IF;
    INSERT INTO event_counter (account_id) SELECT account.id FROM account WHERE account.id = ANY (accounts) ORDER BY account.id
    ON CONFLICT (account_id) DO UPDATE SET last = event_counter.last;
    over := pg_snapshot_xmin(pg_current_snapshot());
    RETURN QUERY
    WITH waiting AS (
        SELECT oldest.position, oldest.account_id,
            row_number() OVER (PARTITION BY oldest.account_id ORDER BY oldest.position) AS step
        FROM (
            SELECT unnumbered.position, known.account_id FROM event_counter AS known CROSS JOIN LATERAL (
                SELECT event.position FROM event
                WHERE event.account_id = known.account_id AND event.sequence IS NULL AND event.position > known.numbered_to
                ORDER BY event.position LIMIT 5000
            ) AS unnumbered
            WHERE known.account_id = ANY (accounts)
            ORDER BY unnumbered.position LIMIT 5000
        ) AS oldest
    ), counter AS (
        UPDATE event_counter SET last = event_counter.last + grown.events,
            numbered_to = CASE WHEN grown.complete AND event_counter.seen_xid <= over THEN event_counter.seen_to ELSE event_counter.numbered_to END,
            seen_to = CASE WHEN event_counter.seen_xid <= over THEN grown.top ELSE event_counter.seen_to END,
            seen_xid = CASE WHEN event_counter.seen_xid <= over THEN pg_snapshot_xmax(pg_current_snapshot()) ELSE event_counter.seen_xid END
        FROM (
            SELECT waiting.account_id, max(waiting.step) AS events, max(waiting.position) AS top, (SELECT count(*) FROM waiting) < 5000 AS complete
            FROM waiting GROUP BY waiting.account_id
        ) AS grown
        WHERE event_counter.account_id = grown.account_id
        RETURNING event_counter.account_id, event_counter.last - grown.events AS base
    ), numbered AS (
        UPDATE event SET sequence = counter.base + waiting.step
        FROM waiting JOIN counter ON counter.account_id = waiting.account_id
        WHERE event.position = waiting.position
    )
    SELECT counter.account_id FROM counter;
END $$;
-- +goose StatementEnd

CREATE TABLE delivery_attempt (
    id bigint GENERATED ALWAYS AS IDENTITY,
    account_id uuid NOT NULL REFERENCES account (id),
    event_id uuid NOT NULL,
    attempt integer NOT NULL,
    url text NOT NULL,
    status_code integer,
    latency_ms integer NOT NULL,
    answer text NOT NULL DEFAULT '',
    error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at);
CREATE TABLE delivery_attempt_default PARTITION OF delivery_attempt DEFAULT;
CREATE INDEX delivery_attempt_event_idx ON delivery_attempt (account_id, event_id, id);

-- Events that are due for their first attempt, by the endpoint that was their destination when they were written. A row goes in
-- the transaction that records the attempt, or that leaves the event to a job of its own. It refers to nothing, as list_count
-- does: what has gone meanwhile is not sent.
CREATE TABLE delivery_queue (
    endpoint_id uuid NOT NULL,
    position bigint NOT NULL,
    event_id uuid NOT NULL,
    account_id uuid NOT NULL,
    call_id uuid,
    PRIMARY KEY (endpoint_id, position)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1);

-- Which process sends what is due for an endpoint: nobody else does while that one's lease lasts.
CREATE TABLE delivery_claim (
    endpoint_id uuid PRIMARY KEY,
    worker_id text NOT NULL
) WITH (fillfactor = 50);

-- Claims the endpoints for which anything is due and that no live process has, and returns what is due for those of the worker,
-- the oldest first: for each at most so many, and of those that it knows what lies behind a position. It is a function so that it
-- is planned once, and never reads the whole queue because that was short when it was.
-- +goose StatementBegin
CREATE FUNCTION take_deliveries(worker text, known uuid[], behind bigint[], most integer) RETURNS SETOF delivery_queue
LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
    WITH RECURSIVE queued AS (
        (SELECT head.endpoint_id AS id FROM delivery_queue AS head ORDER BY head.endpoint_id LIMIT 1)
        UNION ALL
        SELECT (SELECT head.endpoint_id FROM delivery_queue AS head WHERE head.endpoint_id > queued.id ORDER BY head.endpoint_id LIMIT 1)
        FROM queued WHERE queued.id IS NOT NULL
    ), claimed AS (
        INSERT INTO delivery_claim AS claim (endpoint_id, worker_id)
        SELECT queued.id, worker FROM queued LEFT JOIN delivery_claim AS held ON held.endpoint_id = queued.id
        WHERE queued.id IS NOT NULL AND NOT EXISTS (SELECT FROM process_lease AS live WHERE live.process_id = held.worker_id AND live.ended_at IS NULL)
        ORDER BY queued.id
        ON CONFLICT (endpoint_id) DO UPDATE SET worker_id = excluded.worker_id
        WHERE NOT EXISTS (SELECT FROM process_lease AS live WHERE live.process_id = claim.worker_id AND live.ended_at IS NULL)
        RETURNING claim.endpoint_id AS id
    ), mine AS (
        SELECT claimed.id FROM claimed
        UNION
        SELECT queued.id FROM queued JOIN delivery_claim AS held ON held.endpoint_id = queued.id WHERE held.worker_id = worker
    )
    SELECT due.* FROM mine LEFT JOIN unnest(known, behind) AS seen (id, position) ON seen.id = mine.id
    CROSS JOIN LATERAL (
        SELECT * FROM delivery_queue AS head WHERE head.endpoint_id = mine.id AND head.position > coalesce(seen.position, 0)
        ORDER BY head.position LIMIT most
    ) AS due;
END $$;
-- +goose StatementEnd

-- Totals of lists -----------------------------------------------------------------------------------------------------

-- How many rows the lists have. Counting within an index does not meet the 25 ms that a list may take at a million calls:
-- index-only, all in memory and vacuumed, the p95 was 64 ms for the calls of an account, 57 ms for those of eleven months,
-- 45 ms for its 460,000 completed ones and 33 ms for the 370,000 of an assistant, and parallel workers made it slower.
--
-- So a transaction that changes a number appends what it changes to list_count_delta, and none waits for another; the deltas
-- are folded into list_count soon after. The number is the sum of both, exactly, at any time. Neither table refers to
-- account: a foreign key would be checked with every call.
--
--   list            part ('': all of them)             status                 bucket
--   call            the assistant's id                 of the call            day of created_at, in UTC, since 1970
--   contact         the org_id
--   contact_name    a gram of names; in a delta, the name itself
--   event           the type                                                  sequence / 1000
--   scheduled_call  the assistant's id                 of the scheduled call
CREATE TABLE list_count (
    account_id uuid NOT NULL,
    list text NOT NULL,
    part text NOT NULL,
    status text NOT NULL,
    bucket integer NOT NULL,
    n bigint NOT NULL,
    PRIMARY KEY (account_id, list, part, status, bucket)
) WITH (fillfactor = 80);

CREATE TABLE list_count_delta (
    account_id uuid NOT NULL,
    list text NOT NULL,
    part text NOT NULL,
    status text NOT NULL DEFAULT '',
    bucket integer NOT NULL DEFAULT 0,
    n integer NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1);
CREATE INDEX list_count_delta_idx ON list_count_delta (account_id, list);

-- +goose StatementBegin
CREATE FUNCTION utc_day(instant timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (instant AT TIME ZONE 'UTC')::date - '1970-01-01'::date;
-- +goose StatementEnd

-- Live calls change their status all the time and are never more than the workers carry: they are counted where they
-- stand, by call_status_idx.
-- +goose StatementBegin
CREATE FUNCTION call_counted(status text, deleted_at timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN deleted_at IS NULL AND status NOT IN ('dialing', 'ringing', 'in-progress', 'forwarding');
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION call_count_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO list_count_delta (account_id, list, part, status, bucket, n)
    SELECT account_id, 'call', coalesce(assistant_id::text, ''), status, utc_day(created_at), TG_ARGV[0]::integer * count(*)
    FROM changed WHERE call_counted(status, deleted_at)
    GROUP BY account_id, assistant_id, status, utc_day(created_at);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER call_count_inserted AFTER INSERT ON call
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION call_count_rows('1');
CREATE TRIGGER call_count_deleted AFTER DELETE ON call
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION call_count_rows('-1');

-- +goose StatementBegin
CREATE FUNCTION call_count_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO list_count_delta (account_id, list, part, status, bucket, n)
    SELECT account_id, 'call', coalesce(assistant_id::text, ''), status, utc_day(created_at), n
    FROM (VALUES (OLD.account_id, OLD.assistant_id, OLD.status, OLD.created_at, OLD.deleted_at, -1),
                 (NEW.account_id, NEW.assistant_id, NEW.status, NEW.created_at, NEW.deleted_at, 1))
        AS side (account_id, assistant_id, status, created_at, deleted_at, n)
    WHERE call_counted(status, deleted_at);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER call_count_updated AFTER UPDATE ON call FOR EACH ROW
    WHEN ((OLD.account_id, OLD.assistant_id, OLD.created_at) IS DISTINCT FROM (NEW.account_id, NEW.assistant_id, NEW.created_at)
        OR (OLD.status, OLD.deleted_at IS NULL) IS DISTINCT FROM (NEW.status, NEW.deleted_at IS NULL))
    EXECUTE FUNCTION call_count_move();

-- +goose StatementBegin
CREATE FUNCTION scheduled_call_count_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO list_count_delta (account_id, list, part, status, n)
    SELECT account_id, 'scheduled_call', assistant_id::text, status, TG_ARGV[0]::integer * count(*)
    FROM changed WHERE status <> 'canceled'
    GROUP BY account_id, assistant_id, status;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER scheduled_call_count_inserted AFTER INSERT ON scheduled_call
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION scheduled_call_count_rows('1');
CREATE TRIGGER scheduled_call_count_deleted AFTER DELETE ON scheduled_call
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION scheduled_call_count_rows('-1');

-- +goose StatementBegin
CREATE FUNCTION scheduled_call_count_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO list_count_delta (account_id, list, part, status, n)
    SELECT account_id, 'scheduled_call', assistant_id::text, status, n
    FROM (VALUES (OLD.account_id, OLD.assistant_id, OLD.status, -1), (NEW.account_id, NEW.assistant_id, NEW.status, 1))
        AS side (account_id, assistant_id, status, n)
    WHERE status <> 'canceled';
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER scheduled_call_count_updated AFTER UPDATE ON scheduled_call FOR EACH ROW
    WHEN ((OLD.account_id, OLD.assistant_id, OLD.status) IS DISTINCT FROM (NEW.account_id, NEW.assistant_id, NEW.status))
    EXECUTE FUNCTION scheduled_call_count_move();

-- A name is a delta of its own. A bulk load of contacts groups them by org_id, but not by name.
-- +goose StatementBegin
CREATE FUNCTION contact_count_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO list_count_delta (account_id, list, part, n)
    SELECT account_id, 'contact', coalesce(org_id, ''), TG_ARGV[0]::integer * count(*)
    FROM changed WHERE deleted_at IS NULL GROUP BY account_id, coalesce(org_id, '')
    UNION ALL
    SELECT account_id, 'contact_name', search_name, TG_ARGV[0]::integer
    FROM changed WHERE deleted_at IS NULL AND search_name <> '';
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER contact_count_inserted AFTER INSERT ON contact
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contact_count_rows('1');
CREATE TRIGGER contact_count_deleted AFTER DELETE ON contact
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION contact_count_rows('-1');

-- +goose StatementBegin
CREATE FUNCTION contact_count_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO list_count_delta (account_id, list, part, n)
    SELECT account_id, list, part, n
    FROM (VALUES (OLD.account_id, 'contact', coalesce(OLD.org_id, ''), OLD.deleted_at, -1),
                 (NEW.account_id, 'contact', coalesce(NEW.org_id, ''), NEW.deleted_at, 1),
                 (OLD.account_id, 'contact_name', OLD.search_name, OLD.deleted_at, -1),
                 (NEW.account_id, 'contact_name', NEW.search_name, NEW.deleted_at, 1))
        AS side (account_id, list, part, deleted_at, n)
    WHERE deleted_at IS NULL AND (list = 'contact' OR part <> '');
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER contact_count_updated AFTER UPDATE ON contact FOR EACH ROW
    WHEN ((OLD.account_id, OLD.org_id, OLD.search_name, OLD.deleted_at IS NULL)
        IS DISTINCT FROM (NEW.account_id, NEW.org_id, NEW.search_name, NEW.deleted_at IS NULL))
    EXECUTE FUNCTION contact_count_move();

-- An event is in the list as soon as it has its number.
-- +goose StatementBegin
CREATE FUNCTION event_count_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO list_count_delta (account_id, list, part, bucket, n)
    VALUES (NEW.account_id, 'event', NEW.type, NEW.sequence / 1000, 1);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER event_count_inserted AFTER INSERT ON event FOR EACH ROW
    WHEN (NEW.sequence IS NOT NULL) EXECUTE FUNCTION event_count_row();
CREATE TRIGGER event_count_updated AFTER UPDATE ON event FOR EACH ROW
    WHEN (OLD.sequence IS NULL AND NEW.sequence IS NOT NULL) EXECUTE FUNCTION event_count_row();

-- They are deleted a thousand at a time.
-- +goose StatementBegin
CREATE FUNCTION event_count_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO list_count_delta (account_id, list, part, bucket, n)
    SELECT account_id, 'event', type, sequence / 1000, -count(*) FROM changed WHERE sequence IS NOT NULL
    GROUP BY account_id, type, sequence / 1000;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER event_count_deleted AFTER DELETE ON event
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION event_count_rows();

-- Mail and text messages ----------------------------------------------------------------------------------------------

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
-- A number is written to once a day.
CREATE UNIQUE INDEX sms_recipient_key ON sms (account_id, recipient, utc_day(created_at)) WHERE NOT simulated;
CREATE INDEX sms_finished_idx ON sms (updated_at) WHERE status IN ('sent', 'failed');

-- Appointments --------------------------------------------------------------------------------------------------------

-- calendar names what an appointment is made in: assistants with one feed share it. It is a digest, because a feed's address
-- lets anyone in who knows it. Test calls book among themselves (simulated).
CREATE TABLE appointment (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    assistant_id uuid,
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

-- Verification and orders of numbers ----------------------------------------------------------------------------------

-- submission counts from 1: each is another review at the carrier.
CREATE TABLE verification_group (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    simulated boolean NOT NULL,
    name text NOT NULL,
    business_name text NOT NULL,
    contact_person_first_name text NOT NULL,
    contact_person_last_name text NOT NULL,
    contact_person_phone text NOT NULL,
    city text NOT NULL,
    street_name text NOT NULL,
    house_number text NOT NULL,
    postal_code text NOT NULL,
    province text NOT NULL,
    description text,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'rejected')),
    submission integer NOT NULL DEFAULT 0,
    submitted_at timestamptz,
    reviewed_at timestamptz,
    rejection_reason text,
    external_company_registration_file_id text,
    external_identification_file_id text,
    external_proof_of_address_file_id text,
    external_address_id text,
    external_group_id text,
    address_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    UNIQUE (account_id, id),
    CHECK (status = 'pending' OR submitted_at IS NOT NULL)
);
CREATE INDEX verification_group_live_idx ON verification_group (account_id, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX verification_group_external_idx ON verification_group (external_group_id) WHERE external_group_id IS NOT NULL;

-- The bytes are in the file store, sealed with a key of their own that is sealed here.
CREATE TABLE verification_document (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    verification_group_id uuid NOT NULL,
    document_type text NOT NULL CHECK (document_type IN ('company-registration', 'proof-of-address', 'copy-id')),
    status text NOT NULL DEFAULT 'stored' CHECK (status IN ('stored', 'uploaded', 'refused')),
    content_type text NOT NULL,
    size integer NOT NULL,
    sha256 bytea NOT NULL,
    file_key text NOT NULL UNIQUE,
    file_secret text NOT NULL,
    external_file_id text,
    error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    CONSTRAINT verification_document_type_key UNIQUE (account_id, verification_group_id, document_type),
    CONSTRAINT verification_document_verification_group_id_fkey FOREIGN KEY (account_id, verification_group_id)
        REFERENCES verification_group (account_id, id),
    CHECK ((status = 'uploaded') = (external_file_id IS NOT NULL))
);

CREATE TABLE phone_number_order (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    verification_group_id uuid NOT NULL,
    phone_number text NOT NULL,
    number_type text NOT NULL CHECK (number_type IN ('local', 'mobile', 'national')),
    locality text,
    simulated boolean NOT NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'completed', 'failed')),
    credits_used integer NOT NULL,
    external_order_id text,
    phone_number_id uuid,
    failure_reason text,
    created_at timestamptz NOT NULL DEFAULT now(),
    completed_at timestamptz,
    UNIQUE (account_id, id),
    CONSTRAINT phone_number_order_verification_group_id_fkey FOREIGN KEY (account_id, verification_group_id)
        REFERENCES verification_group (account_id, id),
    CONSTRAINT phone_number_order_phone_number_id_fkey FOREIGN KEY (account_id, phone_number_id)
        REFERENCES phone_number (account_id, id),
    CHECK ((status = 'completed') = (phone_number_id IS NOT NULL)),
    CHECK ((status = 'pending') = (completed_at IS NULL)),
    CHECK ((status = 'failed') = (failure_reason IS NOT NULL))
);
CREATE UNIQUE INDEX phone_number_order_pending_key ON phone_number_order (phone_number) WHERE status = 'pending';
CREATE INDEX phone_number_order_account_idx ON phone_number_order (account_id, status, id DESC);
CREATE INDEX phone_number_order_external_idx ON phone_number_order (external_order_id) WHERE external_order_id IS NOT NULL;
ALTER TABLE phone_number ADD CONSTRAINT phone_number_phone_number_order_id_fkey
    FOREIGN KEY (account_id, phone_number_order_id) REFERENCES phone_number_order (account_id, id);

-- Credits -------------------------------------------------------------------------------------------------------------

-- The ledger of an account.
CREATE TABLE credit_entry (
    account_id uuid NOT NULL REFERENCES account (id),
    sequence integer NOT NULL,
    id uuid NOT NULL UNIQUE,
    kind text NOT NULL CHECK (kind IN ('grant', 'order', 'refund')),
    amount integer NOT NULL CHECK (amount <> 0),
    balance integer NOT NULL,
    reason text NOT NULL,
    phone_number_order_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, sequence),
    CONSTRAINT credit_entry_phone_number_order_id_fkey FOREIGN KEY (account_id, phone_number_order_id)
        REFERENCES phone_number_order (account_id, id),
    CHECK (kind <> 'order' OR amount < 0),
    CHECK (kind <> 'refund' OR amount > 0),
    CHECK ((kind = 'grant') = (phone_number_order_id IS NULL))
);
-- An order is paid once and given back at most once.
CREATE UNIQUE INDEX credit_entry_order_key ON credit_entry (phone_number_order_id, kind) WHERE phone_number_order_id IS NOT NULL;

-- An entry that would leave the balance below zero is not written, and nothing is: its insert returns no row.
-- +goose StatementBegin
CREATE FUNCTION credit_entry_apply() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE account SET credits = credits + NEW.amount, credit_entries = credit_entries + 1
    WHERE id = NEW.account_id AND credits + NEW.amount >= 0
    RETURNING credits, credit_entries INTO NEW.balance, NEW.sequence;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER credit_entry_apply BEFORE INSERT ON credit_entry FOR EACH ROW EXECUTE FUNCTION credit_entry_apply();

-- +goose StatementBegin
CREATE FUNCTION credit_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.account_id::text = current_setting('callwright.deleted_account', true) THEN
            RETURN OLD; -- the ledger goes with its account
        END IF;
    END IF;
    RAISE EXCEPTION 'credits are moved by new entries only' USING ERRCODE = 'restrict_violation';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER credit_entry_append_only BEFORE UPDATE OR DELETE ON credit_entry FOR EACH ROW
    EXECUTE FUNCTION credit_refuse_change();
CREATE TRIGGER credit_entry_keep BEFORE TRUNCATE ON credit_entry FOR EACH STATEMENT EXECUTE FUNCTION credit_refuse_change();
CREATE TRIGGER account_credits_by_entry BEFORE UPDATE OF credits, credit_entries ON account FOR EACH ROW
    WHEN (pg_trigger_depth() = 0 AND (OLD.credits, OLD.credit_entries) IS DISTINCT FROM (NEW.credits, NEW.credit_entries))
    EXECUTE FUNCTION credit_refuse_change();

-- Spending ------------------------------------------------------------------------------------------------------------

-- What an account used in a day in UTC: seconds of outbound calls, counted as they end, texts, and how often each rule of
-- jobs/spending refused something.
CREATE TABLE daily_spending (
    account_id uuid NOT NULL REFERENCES account (id),
    day integer NOT NULL,
    kind text NOT NULL CHECK (kind IN ('call_seconds', 'texts') OR kind LIKE 'refused:%'),
    n bigint NOT NULL,
    PRIMARY KEY (account_id, day, kind)
) WITH (fillfactor = 50);

-- When an account called a number within the last hour.
CREATE TABLE dialed_number (
    account_id uuid NOT NULL REFERENCES account (id),
    phone_number text NOT NULL,
    dialed_at timestamptz[] NOT NULL,
    PRIMARY KEY (account_id, phone_number)
);

-- The simulated carrier -----------------------------------------------------------------------------------------------

-- providers/telco/simulated is the only reader of these. They know no accounts, only the references that its customer
-- gives.
CREATE TABLE simulated_carrier_record (
    kind text NOT NULL CHECK (kind IN ('address', 'document', 'review')),
    reference text NOT NULL,
    rejection text,
    ready_at timestamptz NOT NULL,
    PRIMARY KEY (kind, reference)
);
CREATE TABLE simulated_carrier_number (
    phone_number text PRIMARY KEY,
    order_reference text NOT NULL UNIQUE
);
CREATE TABLE simulated_carrier_order (
    reference text PRIMARY KEY,
    phone_number text NOT NULL,
    refusal text,
    ready_at timestamptz NOT NULL
);
CREATE TABLE simulated_carrier_outage (
    reference text PRIMARY KEY,
    failures integer NOT NULL
);

-- SIP connections -----------------------------------------------------------------------------------------------------

-- A customer's account at a SIP provider. The process in worker_id keeps it registered; whoever finds that process dead
-- gives it to another one. A test raises wanted to ask for a new registration; done follows it with the outcome. One that
-- fails for a day, counted from failing_since, is stopped: nobody keeps it registered until it is tested.
CREATE TABLE sip_connection (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    phone_number_id uuid NOT NULL UNIQUE,
    simulated boolean NOT NULL,
    sip_username text NOT NULL,
    sip_password text NOT NULL,
    sip_proxy text NOT NULL,
    provider_name text NOT NULL,
    status text NOT NULL DEFAULT 'registering' CHECK (status IN ('registering', 'registered', 'failed', 'stopped')),
    last_error text,
    sip_code integer,
    registered_until timestamptz,
    failing_since timestamptz,
    worker_id text,
    wanted integer NOT NULL DEFAULT 1,
    done integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    CHECK (status <> 'stopped' OR worker_id IS NULL),
    CONSTRAINT sip_connection_phone_number_id_fkey FOREIGN KEY (account_id, phone_number_id)
        REFERENCES phone_number (account_id, id)
);
CREATE INDEX sip_connection_account_idx ON sip_connection (account_id, id DESC);
CREATE INDEX sip_connection_worker_idx ON sip_connection (worker_id);

-- Knowledge bases -----------------------------------------------------------------------------------------------------

-- A knowledge base has documents, the chunks into which they are cut, and the words that occur in them. The search needs no
-- extension: words are stemmed in Dutch and in English by Postgres itself, and words that are spelled alike are found by
-- their trigrams, which stand in a tsvector. Every tsvector here also holds a lexeme that names its account ("a:"), so that
-- one GIN index serves all accounts and reads no other account's entries.
CREATE TABLE knowledge_document (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    assistant_id uuid,
    title text NOT NULL,
    source_type text NOT NULL CHECK (source_type IN ('text', 'url', 'faq')),
    url text,
    status text NOT NULL CHECK (status IN ('processing', 'ready', 'failed')),
    generation integer NOT NULL DEFAULT 1,
    chunk_count integer NOT NULL DEFAULT 0,
    error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    CONSTRAINT knowledge_document_assistant_id_fkey FOREIGN KEY (account_id, assistant_id) REFERENCES assistant (account_id, id),
    CHECK ((source_type = 'url') = (url IS NOT NULL))
);
CREATE INDEX knowledge_document_list_idx ON knowledge_document (account_id, id DESC) INCLUDE (assistant_id, chunk_count);
CREATE INDEX knowledge_document_assistant_idx ON knowledge_document (account_id, assistant_id) WHERE assistant_id IS NOT NULL;

-- search is read for every candidate of a query, so rows are kept whole instead of moving it out of line.
CREATE TABLE knowledge_chunk (
    document_id uuid NOT NULL,
    position integer NOT NULL,
    account_id uuid NOT NULL,
    content text NOT NULL,
    search tsvector NOT NULL,
    PRIMARY KEY (document_id, position),
    CONSTRAINT knowledge_chunk_document_id_fkey FOREIGN KEY (account_id, document_id)
        REFERENCES knowledge_document (account_id, id) ON DELETE CASCADE
) WITH (toast_tuple_target = 8160);
-- Without fastupdate: a pending list would be read through by every query.
CREATE INDEX knowledge_chunk_search_idx ON knowledge_chunk USING gin (search) WITH (fastupdate = off);

-- The vocabulary of an account. What a caller says is looked up here when it is misspelled, or part of a longer word.
CREATE TABLE knowledge_term (
    account_id uuid NOT NULL REFERENCES account (id),
    term text NOT NULL,
    stem text NOT NULL,
    trigrams tsvector NOT NULL,
    PRIMARY KEY (account_id, term)
);
CREATE INDEX knowledge_term_stem_idx ON knowledge_term (account_id, stem);
CREATE INDEX knowledge_term_trigrams_idx ON knowledge_term USING gin (trigrams) WITH (fastupdate = off);

-- The embeddings of chunks, where an embedding model is configured. code has the sign of each number of a vector, so that
-- bit_count(code # asked) finds the likely chunks by built-in means, and the vectors of these few are compared exactly.
-- model is part of what a vector is: those of another are never looked at.
CREATE TABLE knowledge_embedding (
    document_id uuid NOT NULL,
    position integer NOT NULL,
    account_id uuid NOT NULL,
    model text NOT NULL,
    code varbit NOT NULL,
    vector bytea NOT NULL,
    PRIMARY KEY (document_id, position),
    CONSTRAINT knowledge_embedding_document_id_fkey FOREIGN KEY (account_id, document_id)
        REFERENCES knowledge_document (account_id, id) ON DELETE CASCADE,
    CONSTRAINT knowledge_embedding_chunk_fkey FOREIGN KEY (document_id, position)
        REFERENCES knowledge_chunk (document_id, position) ON DELETE CASCADE
);
-- Numbers of a model look random: they cannot be compressed.
ALTER TABLE knowledge_embedding ALTER COLUMN code SET STORAGE EXTERNAL, ALTER COLUMN vector SET STORAGE EXTERNAL;
CREATE INDEX knowledge_embedding_model_idx ON knowledge_embedding (account_id, model);

-- Instant agents ------------------------------------------------------------------------------------------------------

-- What an assistant is to be made of, while it is made.
CREATE TABLE instant_agent (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    test boolean NOT NULL DEFAULT false,
    phone_number_id uuid NOT NULL REFERENCES phone_number (id),
    company_name text NOT NULL,
    agent_name text NOT NULL,
    request jsonb NOT NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'ready', 'failed', 'expired')),
    assistant_id uuid,
    failure text CHECK (failure IN ('website_refused', 'website_failed', 'website_slow', 'number_gone', 'number_in_use',
        'knowledge_full')),
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

-- Processes -----------------------------------------------------------------------------------------------------------

-- A worker process is alive as long as it renews its lease: see worker/lease. The host's columns are empty where the system
-- does not tell, and then its death shows only by the lease. session is the application_name of its sessions, and of no others;
-- version is that of the program.
-- able: the latest looks for dead processes succeeded.
-- calls are those that it holds, places those that it may: as many as its queue has room for, fewer while sound leaves late.
CREATE TABLE process_lease (
    process_id text PRIMARY KEY,
    boot_id text NOT NULL,
    pid_namespace text NOT NULL,
    pid integer NOT NULL,
    pid_started bigint NOT NULL,
    session text NOT NULL DEFAULT '',
    version text NOT NULL DEFAULT '',
    renewals bigint NOT NULL DEFAULT 0,
    renewed_at timestamptz NOT NULL DEFAULT now(),
    able boolean NOT NULL DEFAULT true,
    calls integer NOT NULL DEFAULT 0,
    places integer NOT NULL DEFAULT 0,
    ended_at timestamptz
) WITH (fillfactor = 50);
CREATE INDEX process_lease_host_idx ON process_lease (boot_id, pid_namespace, process_id) WHERE ended_at IS NULL;

-- Ends the sessions of this database that have the name, and returns how many they were.
CREATE FUNCTION end_sessions(name text) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE application_name = name AND datname = current_database() AND pid <> pg_backend_pid()
$$;

-- Seal keys -----------------------------------------------------------------------------------------------------------

-- The keys under which anything is sealed at rest, which are not here themselves. The canary of each is sealed under it: a
-- process whose key does not open it has the wrong one.
CREATE TABLE seal_key (
    id text PRIMARY KEY,
    canary text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- All that is sealed at rest. A column that is to hold sealed values comes in here and has the trigger below, or a rotation
-- of the keys would leave it behind.
CREATE VIEW sealed_value AS
SELECT 'webhook_endpoint.secret' AS source, account_id, id::text AS id, secret AS sealed, split_part(secret, '.', 2) AS key_id
FROM webhook_endpoint WHERE secret IS NOT NULL
UNION ALL
SELECT 'webhook_endpoint.previous_secret', account_id, id::text, previous_secret, split_part(previous_secret, '.', 2)
FROM webhook_endpoint WHERE previous_secret IS NOT NULL
UNION ALL
SELECT 'sip_connection.sip_password', account_id, id::text, sip_password, split_part(sip_password, '.', 2) FROM sip_connection
UNION ALL
SELECT 'verification_document.file_secret', account_id, id::text, file_secret, split_part(file_secret, '.', 2) FROM verification_document
UNION ALL
SELECT 'call.recording_secret', account_id, id::text, recording_secret, split_part(recording_secret, '.', 2)
FROM call WHERE recording_secret IS NOT NULL
UNION ALL
SELECT 'idempotency_key.body', account_id, key, body #>> '{}', split_part(body #>> '{}', '.', 2)
FROM idempotency_key WHERE jsonb_typeof(body) = 'string';

-- The foreign key of a sealed value: nothing is sealed under a key that is not in seal_key. So a process that still has the
-- old keys after a rotation fails instead of writing what nobody will be able to open.
-- +goose StatementBegin
CREATE FUNCTION seal_key_required() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sealed text := to_jsonb(NEW) ->> TG_ARGV[0];
BEGIN
    PERFORM FROM seal_key WHERE id = split_part(sealed, '.', 2) FOR KEY SHARE;
    IF sealed LIKE 'v1.%' AND NOT FOUND THEN
        RAISE foreign_key_violation USING MESSAGE =
            format('%s.%s is sealed with key %L, which is not in use or not any more', TG_TABLE_NAME, TG_ARGV[0], split_part(sealed, '.', 2));
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER webhook_endpoint_secret_sealed AFTER INSERT OR UPDATE OF secret ON webhook_endpoint
    FOR EACH ROW EXECUTE FUNCTION seal_key_required('secret');
CREATE TRIGGER webhook_endpoint_previous_secret_sealed AFTER INSERT OR UPDATE OF previous_secret ON webhook_endpoint
    FOR EACH ROW EXECUTE FUNCTION seal_key_required('previous_secret');
CREATE TRIGGER sip_connection_sip_password_sealed AFTER INSERT OR UPDATE OF sip_password ON sip_connection
    FOR EACH ROW EXECUTE FUNCTION seal_key_required('sip_password');
CREATE TRIGGER verification_document_file_secret_sealed AFTER INSERT OR UPDATE OF file_secret ON verification_document
    FOR EACH ROW EXECUTE FUNCTION seal_key_required('file_secret');
CREATE TRIGGER call_recording_secret_sealed AFTER INSERT OR UPDATE OF recording_secret ON call
    FOR EACH ROW WHEN (NEW.recording_secret IS NOT NULL) EXECUTE FUNCTION seal_key_required('recording_secret');
CREATE TRIGGER idempotency_key_body_sealed AFTER INSERT OR UPDATE OF body ON idempotency_key
    FOR EACH ROW WHEN (jsonb_typeof(NEW.body) = 'string') EXECUTE FUNCTION seal_key_required('body');

-- Upkeep --------------------------------------------------------------------------------------------------------------

-- What all ids (UUIDv7) of an instant and later begin with.
CREATE FUNCTION uuid_at(instant timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (lpad(to_hex((extract(epoch FROM instant) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid;

-- Makes the partition of a month in UTC and moves into it what of it is in the default partition, where rows go that have no
-- other: without this function there are no more partitions, and still every row has a place. It returns false when the partition
-- is there. It waits for nobody's transaction for long, since others would wait behind it: it fails, to be called again.
-- +goose StatementBegin
CREATE FUNCTION make_partition(parent text, month timestamptz) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
DECLARE
    starts timestamptz := date_trunc('month', month, 'UTC');
    ends timestamptz := date_trunc('month', date_trunc('month', month, 'UTC') + interval '32 days', 'UTC');
    part text := parent || to_char(starts AT TIME ZONE 'UTC', '"_"YYYY"_"MM');
    by_call boolean := parent = 'call_turn';
    key text := CASE WHEN by_call THEN 'call_id' ELSE 'created_at' END;
    low text := CASE WHEN by_call THEN uuid_at(starts)::text ELSE starts::text END;
    high text := CASE WHEN by_call THEN uuid_at(ends)::text ELSE ends::text END;
BEGIN
    IF to_regclass(part) IS NOT NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', parent || '_default');
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)
        WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05)', part, parent);
    EXECUTE format('WITH moved AS (DELETE FROM %I WHERE %I >= %L AND %I < %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
        parent || '_default', key, low, key, high, part);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, part, low, high);
    RETURN true;
END $$;
-- +goose StatementEnd

-- Drops the partitions of months that are over at an instant and of which retention has left nothing. It returns how many.
-- +goose StatementBegin
CREATE FUNCTION drop_empty_partitions(parent text, before timestamptz) RETURNS integer LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
DECLARE
    part text;
    used boolean;
    dropped integer := 0;
BEGIN
    FOR part IN
        SELECT child.relname FROM pg_inherits JOIN pg_class AS child ON child.oid = pg_inherits.inhrelid
        WHERE pg_inherits.inhparent = parent::regclass AND child.relname ~ '_[0-9]{4}_[0-9]{2}$'
            AND (to_date(right(child.relname, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC' <= before
        ORDER BY child.relname
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %I)', part) INTO used;
        CONTINUE WHEN used;
        EXECUTE format('LOCK TABLE %I, %I IN ACCESS EXCLUSIVE MODE', parent, part);
        EXECUTE format('SELECT EXISTS (SELECT FROM %I)', part) INTO used;
        CONTINUE WHEN used;
        EXECUTE format('DROP TABLE %I', part);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END $$;
-- +goose StatementEnd

-- By default a table is vacuumed when a fifth of it is dead: of millions of calls and events that is too late, and of the small
-- tables whose rows change all the time a fifth is nothing, yet whoever looks for a row walks over its dead versions.
ALTER TABLE call SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE event SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE scheduled_call SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE list_count SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE account SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE event_counter SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE daily_spending SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE webhook_endpoint SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE process_lease SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
