-- Lists that stay fast: indexes in the order of each list, and how many rows each list has without counting them.

-- +goose Up
-- Newest first is by created_at, then by id. Of several statuses a list merges the newest of each.
CREATE INDEX call_list_idx ON call (account_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX call_status_idx ON call (account_id, status, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX call_assistant_idx ON call (account_id, assistant_id, status, created_at, id) WHERE deleted_at IS NULL;
DROP INDEX call_contact_idx;
CREATE INDEX call_contact_idx ON call (account_id, contact_id, created_at, id) INCLUDE (status, assistant_id, deleted_at)
    WHERE contact_id IS NOT NULL;

CREATE INDEX scheduled_call_list_idx ON scheduled_call (account_id, status, id) WHERE status <> 'canceled';
CREATE INDEX scheduled_call_assistant_idx ON scheduled_call (account_id, assistant_id, status, id) WHERE status <> 'canceled';
CREATE INDEX scheduled_call_contact_idx ON scheduled_call (account_id, contact_id, id) INCLUDE (status, assistant_id)
    WHERE status <> 'canceled';

-- Part of a name is found by its grams, the texts of one, two and three characters in it.
-- +goose StatementBegin
CREATE FUNCTION name_grams(name text, smallest integer DEFAULT 1) RETURNS SETOF text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 60 AS $$
    SELECT DISTINCT substr(name, start, size)
    FROM generate_series(smallest, 3) AS size, generate_series(1, length(name) - size + 1) AS start
$$;
-- +goose StatementEnd

-- Each gram is hashed together with the account, so that a search never meets another account's contacts. It calls no
-- name_grams and drops no repetitions, which the index does by itself: that is ten times faster.
-- +goose StatementBegin
CREATE FUNCTION contact_grams(account_id uuid, name text, smallest integer) RETURNS bigint[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT array_agg(hashtextextended(substr(name, start, size), uuid_hash_extended(account_id, 0)))
    FROM generate_series(smallest, 3) AS size, generate_series(1, length(name) - size + 1) AS start
$$;
-- +goose StatementEnd

ALTER TABLE contact ADD COLUMN search_name text GENERATED ALWAYS AS (lower(full_name)) STORED;
DROP INDEX contact_live_idx;
CREATE INDEX contact_live_idx ON contact (account_id, id) INCLUDE (search_name, org_id) WHERE deleted_at IS NULL;
CREATE INDEX contact_org_idx ON contact (account_id, org_id, id) INCLUDE (search_name) WHERE deleted_at IS NULL AND org_id IS NOT NULL;
CREATE INDEX contact_email_idx ON contact (account_id, email, id) WHERE deleted_at IS NULL AND email IS NOT NULL;
CREATE INDEX contact_name_idx ON contact USING gin (contact_grams(account_id, search_name, 1)) WITH (fastupdate = off)
    WHERE deleted_at IS NULL;

-- How many rows the lists have. A transaction that changes a number appends what it changes to list_count_delta, so that
-- none waits for another; the deltas are folded into list_count soon after. The number is the sum of both, exactly, at
-- any moment. Neither table refers to account: a foreign key would be checked with every call.
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
CREATE FUNCTION utc_day(moment timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (moment AT TIME ZONE 'UTC')::date - '1970-01-01'::date;
-- +goose StatementEnd

-- Calls on the line change their state all the time and are never more than the telephones carry: they are counted where
-- they stand, by call_status_idx.
-- +goose StatementBegin
CREATE FUNCTION call_counted(status text, deleted_at timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN deleted_at IS NULL AND status NOT IN ('dialing', 'ringing', 'in-progress', 'forwarding');
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION call_count_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO list_count_delta (account_id, list, part, status, bucket, n)
    SELECT account_id, 'call', assistant_id::text, status, utc_day(created_at), TG_ARGV[0]::integer * count(*)
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
    SELECT account_id, 'call', assistant_id::text, status, utc_day(created_at), n
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

-- An event is in the list from the moment that it has its number.
-- +goose StatementBegin
CREATE FUNCTION event_count_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO list_count_delta (account_id, list, part, bucket, n) VALUES (OLD.account_id, 'event', OLD.type, OLD.sequence / 1000, -1);
    ELSE
        INSERT INTO list_count_delta (account_id, list, part, bucket, n) VALUES (NEW.account_id, 'event', NEW.type, NEW.sequence / 1000, 1);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER event_count_inserted AFTER INSERT ON event FOR EACH ROW
    WHEN (NEW.sequence IS NOT NULL) EXECUTE FUNCTION event_count_row();
CREATE TRIGGER event_count_updated AFTER UPDATE ON event FOR EACH ROW
    WHEN (OLD.sequence IS NULL AND NEW.sequence IS NOT NULL) EXECUTE FUNCTION event_count_row();
CREATE TRIGGER event_count_deleted AFTER DELETE ON event FOR EACH ROW
    WHEN (OLD.sequence IS NOT NULL) EXECUTE FUNCTION event_count_row();
