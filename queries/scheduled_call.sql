-- scheduled -> processed (in the transaction that makes its call, or by PUT) | canceled (by DELETE).
-- processed -> scheduled only while no call was placed. The row is the truth; the job that starts it is an alarm.

-- name: ScheduledCallInsert :one
INSERT INTO scheduled_call (id, account_id, assistant_id, contact_id, scheduled_time, simulated, instruction, variables, retry, "window")
SELECT @id, @account_id, assistant.id, contact.id, @scheduled_time, @simulated, sqlc.narg('instruction'), @variables, sqlc.narg('retry'), sqlc.narg('window')
FROM assistant, contact
WHERE assistant.account_id = @account_id AND assistant.id = @assistant_id AND assistant.deleted_at IS NULL
    AND contact.account_id = @account_id AND contact.id = @contact_id AND contact.deleted_at IS NULL
FOR SHARE
RETURNING *;

-- due is judged by the database's clock, the one that every worker shares.
-- name: ScheduledCallLock :one
SELECT sqlc.embed(scheduled_call), (scheduled_time <= now())::boolean AS due, now()::timestamptz AS now
FROM scheduled_call WHERE id = @id FOR UPDATE;

-- name: ScheduledCallSetProcessed :exec
UPDATE scheduled_call SET status = 'processed', call_id = sqlc.narg('call_id'), explanation = sqlc.narg('explanation'),
    attempt = attempt + 1, updated_at = now()
WHERE id = @id AND status = 'scheduled';

-- name: ScheduledCallSetExplanation :exec
UPDATE scheduled_call SET explanation = @explanation, updated_at = now() WHERE id = @id;
