-- Adds to each table what a migration may add while processes of the version before work: a column with a default, an index, and a
-- constraint that is checked afterwards. Each table is a transaction of its own.

-- +goose NO TRANSACTION
-- +goose Up
-- +goose StatementBegin
DO $$
DECLARE one text;
BEGIN
    FOR one IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        AND relname <> 'goose_db_version' AND relname NOT LIKE 'river%' ORDER BY 1
    LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN IF NOT EXISTS grown text DEFAULT ''grown''', one);
        COMMIT;
    END LOOP;
END $$;
-- +goose StatementEnd
ALTER TABLE call DROP CONSTRAINT IF EXISTS call_grown_check;
ALTER TABLE call ADD CONSTRAINT call_grown_check CHECK (grown <> '') NOT VALID;
ALTER TABLE call VALIDATE CONSTRAINT call_grown_check;
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS call_grown_idx;
CREATE INDEX CONCURRENTLY call_grown_idx ON call (account_id, grown);
SET lock_timeout = '5s';
