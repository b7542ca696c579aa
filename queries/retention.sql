-- What is kept for so many days and then removed, a batch in a transaction. Calls are found by their ids, which begin with the time at
-- which they were made. retention_mark says how far an account is.

-- name: RetentionListAccounts :many
SELECT id, keep_transcripts, keep_recordings, keep_events, keep_calls FROM account ORDER BY id;

-- Removes the account's oldest events and their attempts, up to one that is younger or is still to be delivered: what is left has no
-- gaps.
-- name: RetentionDeleteEvents :one
WITH oldest AS MATERIALIZED (
    SELECT event.id, event.sequence::bigint AS sequence, (event.created_at < @before AND event.delivery <> 'pending') AS due FROM event
    WHERE event.account_id = @account_id AND event.sequence > coalesce((
        SELECT retention_mark.events FROM retention_mark WHERE retention_mark.account_id = @account_id), 0)
    ORDER BY event.sequence LIMIT @max::int
), due AS MATERIALIZED (
    SELECT oldest.id FROM oldest
    WHERE oldest.sequence < coalesce((SELECT min(young.sequence) FROM oldest AS young WHERE NOT young.due), 9223372036854775807)
), attempts AS (
    DELETE FROM delivery_attempt USING due WHERE delivery_attempt.account_id = @account_id AND delivery_attempt.event_id = due.id
), removed AS (
    DELETE FROM event USING due WHERE event.id = due.id RETURNING event.sequence
), marked AS (
    INSERT INTO retention_mark (account_id, events) SELECT @account_id, max(removed.sequence) FROM removed HAVING count(*) > 0
    ON CONFLICT (account_id) DO UPDATE SET events = greatest(retention_mark.events, excluded.events)
)
SELECT count(*) FROM removed;

-- The calls whose transcripts come next. One that is not over keeps those behind it waiting.
-- name: RetentionListSpoken :many
SELECT call.id, (call.ended_at IS NOT NULL)::boolean AS ended FROM call
WHERE call.account_id = @account_id AND call.id < @before AND call.id > coalesce((
    SELECT retention_mark.transcripts FROM retention_mark WHERE retention_mark.account_id = @account_id), '00000000-0000-0000-0000-000000000000')
ORDER BY call.id LIMIT @max::int;

-- name: RetentionMarkSpoken :exec
INSERT INTO retention_mark (account_id, transcripts) VALUES (@account_id, @transcripts)
ON CONFLICT (account_id) DO UPDATE SET transcripts = excluded.transcripts;

-- name: RetentionForgetRecordings :many
UPDATE call SET recording_key = NULL, recording_secret = NULL, recording_missing_seconds = NULL, updated_at = now()
WHERE call.id IN (
    SELECT old.id FROM call AS old
    WHERE old.account_id = @account_id AND old.recording_key IS NOT NULL AND old.id < @before
    ORDER BY old.id LIMIT @max::int FOR NO KEY UPDATE SKIP LOCKED
)
RETURNING id;

-- A call stays until what was agreed in it is over.
-- name: RetentionListCalls :many
SELECT call.id FROM call
WHERE call.account_id = @account_id AND call.id < @before AND call.ended_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM appointment WHERE appointment.call_id = call.id AND appointment.ends_at > now())
ORDER BY call.id LIMIT @max::int FOR UPDATE SKIP LOCKED;

-- name: RetentionReleaseScheduled :exec
UPDATE scheduled_call SET call_id = NULL WHERE account_id = @account_id AND call_id = ANY (@call_ids::uuid[]);

-- name: RetentionDeleteAppointments :exec
DELETE FROM appointment WHERE account_id = @account_id AND call_id = ANY (@call_ids::uuid[]);

-- Turns, tool calls, commands, mail and texts go with their calls.
-- name: RetentionDeleteCalls :many
DELETE FROM call WHERE account_id = @account_id AND id = ANY (@ids::uuid[]) RETURNING scheduled_call_id;

-- name: RetentionDeleteScheduled :exec
DELETE FROM scheduled_call
WHERE scheduled_call.account_id = @account_id AND scheduled_call.id = ANY (@ids::uuid[]) AND scheduled_call.status <> 'scheduled'
    AND NOT EXISTS (SELECT FROM call WHERE call.account_id = scheduled_call.account_id AND call.scheduled_call_id = scheduled_call.id);
