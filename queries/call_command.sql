-- pending -> done | failed, once: by the worker that holds the call, or in the transaction that ends the call. A command
-- is pending only while its call is live. Its body may hold what people say, and is dropped when it is finished.

-- A call that gets a command. Under the lock the call does not end between the check and the command.
-- name: CallGetForCommand :one
SELECT * FROM call WHERE account_id = @account_id AND id = @id AND deleted_at IS NULL FOR SHARE;

-- name: CallCommandInsert :one
INSERT INTO call_command (id, account_id, call_id, type, body) VALUES (@id, @account_id, @call_id, @type, @body) RETURNING *;

-- name: CallCommandListPending :many
SELECT call_command.* FROM call_command
JOIN call ON call.account_id = call_command.account_id AND call.id = call_command.call_id
WHERE call_command.status = 'pending' AND call.worker_id = @worker_id::text
ORDER BY call_command.id LIMIT 1000;

-- name: CallCommandFinish :one
UPDATE call_command SET status = CASE WHEN sqlc.narg('error')::text IS NULL THEN 'done' ELSE 'failed' END, error = sqlc.narg('error'),
    body = '{}', finished_at = now()
WHERE account_id = @account_id AND id = @id AND status = 'pending'
RETURNING *;

-- name: CallCommandFailMany :many
UPDATE call_command SET status = 'failed', error = @error::text, body = '{}', finished_at = now()
WHERE call_id = ANY (@call_ids::uuid[]) AND status = 'pending'
RETURNING *;
