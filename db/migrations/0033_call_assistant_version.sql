-- Has calls name the version of their assistant's configuration (0032), once no process of the version before runs or may come back; see
-- db.Form. A configuration that a server chose for a call alone stays in assistant_config. The timeline of a call that is over, 300 bytes
-- of the 860 that a call had, is kept short. An event is short since its message is packed (0031), and as well off on fuller pages.

-- +goose NO TRANSACTION
-- +goose Up
INSERT INTO stored_form (form, written_from) SELECT 2, now() + CASE WHEN EXISTS (SELECT FROM account) THEN interval '1 day' ELSE interval '0' END
ON CONFLICT DO NOTHING;

ALTER TABLE call ADD COLUMN IF NOT EXISTS assistant_version_id uuid;

-- Returns the states of a timeline with the microseconds since 1970 of the first, and since the one before of the others, such as
-- "queued 1795478168488796,dialing 12034,ringing 9210,completed 88210". One that says more than that stays as it is, and so does
-- any where that is not wanted.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION short_timeline(timeline jsonb, wanted boolean) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN wanted AND bool_and(step.entry - 'status' - 'at' = '{}') THEN
        to_jsonb(string_agg(format('%s %s', step.entry ->> 'status', step.at - coalesce(step.before, 0)), ',' ORDER BY step.place))
    ELSE timeline END
    FROM (
        SELECT one.entry, one.place, one.at, lag(one.at) OVER (ORDER BY one.place) AS before FROM (
            SELECT entry, place, (extract(epoch FROM (entry ->> 'at')::timestamptz) * 1000000)::bigint AS at
            FROM jsonb_array_elements(timeline) WITH ORDINALITY AS entries (entry, place)
        ) AS one
    ) AS step
$$;
-- +goose StatementEnd

ALTER TABLE event SET (fillfactor = 90);
ALTER TABLE call SET (fillfactor = 85);

-- Finds events by their types, but for status updates, which are most of them and near one another: they are looked for among all.
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS event_listed_type_idx;
CREATE INDEX CONCURRENTLY event_listed_type_idx ON event (account_id, type, sequence) WHERE sequence IS NOT NULL AND type <> 'status-update';
DROP INDEX CONCURRENTLY IF EXISTS event_type_idx;

-- An assistant and a contact are of one account. Calls of a contact are few, and their states are read from the rows.
DROP INDEX CONCURRENTLY IF EXISTS call_of_assistant_idx;
CREATE INDEX CONCURRENTLY call_of_assistant_idx ON call (assistant_id, stage, created_at, id) WHERE deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS call_assistant_idx;
DROP INDEX CONCURRENTLY IF EXISTS call_of_contact_idx;
CREATE INDEX CONCURRENTLY call_of_contact_idx ON call (contact_id, created_at, id) WHERE contact_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS call_contact_idx;
SET lock_timeout = '5s';
