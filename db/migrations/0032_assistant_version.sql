-- Keeps each configuration that an assistant had, once. A call had its own copy of the one it started with, for as long as calls are
-- kept, and wrote it to the log as a whole each time it was claimed, rang or ended. It names the version now.

-- +goose Up

-- A version is never edited. A call refers to it without a foreign key, which would lock the row for each call of the assistant: a version
-- goes when it has been replaced, and the account has no call from before that, or no call has ever named it.
CREATE TABLE assistant_version (
    account_id uuid NOT NULL REFERENCES account (id),
    id uuid PRIMARY KEY,
    config jsonb NOT NULL,
    used boolean NOT NULL DEFAULT false, -- a call names it, or did
    created_at timestamptz NOT NULL DEFAULT now(),
    replaced_at timestamptz -- NULL: it is its assistant's
);
CREATE INDEX assistant_version_replaced_idx ON assistant_version (replaced_at) WHERE replaced_at IS NOT NULL;
CREATE INDEX assistant_version_account_idx ON assistant_version (account_id);

ALTER TABLE assistant ADD COLUMN version_id uuid;

-- Whoever writes an assistant's configuration, by whatever version of the program, writes its version.
-- +goose StatementBegin
CREATE FUNCTION assistant_keep_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        UPDATE assistant_version SET replaced_at = now() WHERE id = OLD.version_id;
    END IF;
    NEW.version_id := gen_random_uuid();
    INSERT INTO assistant_version (account_id, id, config) VALUES (NEW.account_id, NEW.version_id, NEW.config);
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER assistant_version_inserted BEFORE INSERT ON assistant FOR EACH ROW EXECUTE FUNCTION assistant_keep_version();
CREATE TRIGGER assistant_version_updated BEFORE UPDATE OF config ON assistant FOR EACH ROW
    WHEN (NEW.config IS DISTINCT FROM OLD.config OR OLD.version_id IS NULL)
    EXECUTE FUNCTION assistant_keep_version();

-- A configuration that no call copies need not be short. Processes of the version before copy it as it is. assistant_pack and
-- assistant_packing go with a later release.
DROP TRIGGER assistant_packed_inserted ON assistant;
DROP TRIGGER assistant_packed_updated ON assistant;

UPDATE assistant SET config = config;
