-- Credits, verification groups, number orders, and the simulated carrier.

-- +goose Up

-- The balance is a column that nobody writes: each entry of the ledger moves it, by one conditional update that locks
-- the account, so the balance is the sum of the entries at every moment and never below zero.
ALTER TABLE account
    ADD COLUMN credits integer NOT NULL DEFAULT 0 CHECK (credits >= 0),
    ADD COLUMN credit_entries integer NOT NULL DEFAULT 0,
    ADD CONSTRAINT account_credits_start_check CHECK (credits = 0 OR credit_entries > 0);

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
    CHECK (kind <> 'order' OR amount < 0),
    CHECK (kind <> 'refund' OR amount > 0),
    CHECK ((kind = 'grant') = (phone_number_order_id IS NULL))
);
-- An order is paid once and given back at most once.
CREATE UNIQUE INDEX credit_entry_order_key ON credit_entry (phone_number_order_id, kind) WHERE phone_number_order_id IS NOT NULL;

-- An entry that would leave the balance below zero is not written, and nothing is: its insert answers no row.
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
    RAISE EXCEPTION 'credits are moved by new entries only' USING ERRCODE = 'restrict_violation';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER credit_entry_append_only BEFORE UPDATE OR DELETE ON credit_entry FOR EACH ROW EXECUTE FUNCTION credit_refuse_change();
CREATE TRIGGER credit_entry_keep BEFORE TRUNCATE ON credit_entry FOR EACH STATEMENT EXECUTE FUNCTION credit_refuse_change();
CREATE TRIGGER account_credits_by_entry BEFORE UPDATE OF credits, credit_entries ON account FOR EACH ROW
    WHEN (pg_trigger_depth() = 0 AND (OLD.credits, OLD.credit_entries) IS DISTINCT FROM (NEW.credits, NEW.credit_entries))
    EXECUTE FUNCTION credit_refuse_change();

-- A number that was given back may be ordered anew, so only those in use are unique; while a release is under way the
-- number is still in use. What the carrier calls a number is needed to release that purchase and no later one.
ALTER TABLE phone_number DROP CONSTRAINT phone_number_number_key;
CREATE UNIQUE INDEX phone_number_number_key ON phone_number (number) WHERE status <> 'released';
ALTER TABLE phone_number DROP CONSTRAINT phone_number_status_check;
ALTER TABLE phone_number ADD CONSTRAINT phone_number_status_check CHECK (status IN ('active', 'releasing', 'released'));

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
    round integer NOT NULL DEFAULT 0,
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
    CONSTRAINT phone_number_order_phone_number_id_fkey FOREIGN KEY (account_id, phone_number_id) REFERENCES phone_number (account_id, id),
    CHECK ((status = 'completed') = (phone_number_id IS NOT NULL)),
    CHECK ((status = 'pending') = (completed_at IS NULL)),
    CHECK ((status = 'failed') = (failure_reason IS NOT NULL))
);
CREATE UNIQUE INDEX phone_number_order_pending_key ON phone_number_order (phone_number) WHERE status = 'pending';
CREATE INDEX phone_number_order_account_idx ON phone_number_order (account_id, status, id DESC);
CREATE INDEX phone_number_order_external_idx ON phone_number_order (external_order_id) WHERE external_order_id IS NOT NULL;
ALTER TABLE credit_entry ADD CONSTRAINT credit_entry_phone_number_order_id_fkey
    FOREIGN KEY (account_id, phone_number_order_id) REFERENCES phone_number_order (account_id, id);

-- Where a custom number came from: the order that bought it, and what the carrier calls the purchase. Numbers of a SIP
-- connection have neither.
ALTER TABLE phone_number
    ADD COLUMN phone_number_order_id uuid,
    ADD COLUMN carrier_number_id text,
    ADD CONSTRAINT phone_number_phone_number_order_id_fkey FOREIGN KEY (account_id, phone_number_order_id)
        REFERENCES phone_number_order (account_id, id);

-- The simulated carrier's own world; providers/telco/simulated is its only reader. It knows no accounts, only the
-- references that its customer gives.
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
