-- asked -> answered by the worker that holds the call -> joined -> left, or missed before it joined. What is live of a call that is over is
-- ended with it. Rows of calls that are over count for nothing: a process of the version before ends a call without its listeners.

-- name: CallListenerLoad :one
SELECT count(*) FILTER (WHERE call_listener.call_id = @call_id) AS of_call, count(*) AS of_account
FROM call_listener JOIN call ON call.account_id = call_listener.account_id AND call.id = call_listener.call_id
WHERE call_listener.account_id = @account_id AND call_listener.ended_at IS NULL AND call.stage = 'live';

-- name: CallListenerInsert :one
INSERT INTO call_listener (id, account_id, call_id, person_id, session_id, api_key_id, mode, offer)
VALUES (@id, @account_id, @call_id, sqlc.narg('person_id'), sqlc.narg('session_id'), sqlc.narg('api_key_id'), @mode, @offer)
RETURNING *;

-- Those of the calls of a worker: who is new, what has become of the others. Who may not listen any more is not among them.
-- name: CallListenerListLive :many
SELECT call_listener.* FROM call_listener JOIN call ON call.account_id = call_listener.account_id AND call.id = call_listener.call_id
WHERE call_listener.ended_at IS NULL AND call.worker_id = @worker_id::text AND call.stage = 'live'
    AND (call_listener.api_key_id IS NOT NULL OR EXISTS (
        SELECT FROM membership WHERE membership.account_id = call_listener.account_id AND membership.person_id = call_listener.person_id AND membership.role <> 'viewer'))
    AND (call_listener.session_id IS NULL AND call_listener.api_key_id IS NULL OR EXISTS (
        SELECT FROM api_key WHERE api_key.account_id = call_listener.account_id AND api_key.id = coalesce(call_listener.session_id, call_listener.api_key_id)
            AND api_key.revoked_at IS NULL AND (api_key.expires_at IS NULL OR api_key.expires_at > now())))
ORDER BY call_listener.id LIMIT 1000;

-- The workers with listeners.
-- name: CallListenerWorkers :many
SELECT DISTINCT call.worker_id::text FROM call_listener JOIN call ON call.account_id = call_listener.account_id AND call.id = call_listener.call_id
WHERE call_listener.ended_at IS NULL AND call.stage = 'live' AND call.worker_id IS NOT NULL;

-- No row: nobody waits any more, or the call is another worker's.
-- name: CallListenerAnswer :one
UPDATE call_listener SET status = 'answered', offer = '', answer = @answer::text
FROM call
WHERE call_listener.id = @id AND call_listener.status = 'asked' AND call.account_id = call_listener.account_id AND call.id = call_listener.call_id
    AND call.worker_id = @worker_id::text AND call.stage = 'live'
RETURNING call_listener.*;

-- name: CallListenerRefuse :many
UPDATE call_listener SET status = 'missed', offer = '', failure = @failure::text, ended_at = now() WHERE id = @id AND status = 'asked' RETURNING *;

-- Hands out an answer, or why there is none, once, and forgets the answer.
-- name: CallListenerTakeAnswer :one
UPDATE call_listener SET answer = NULL
FROM (SELECT call_listener.id, call_listener.answer FROM call_listener WHERE call_listener.account_id = @account_id AND call_listener.id = @id FOR UPDATE) AS answered
WHERE call_listener.id = answered.id AND call_listener.status <> 'asked'
RETURNING coalesce(answered.answer, '')::text AS answer, coalesce(call_listener.failure, '')::text AS failure;

-- name: CallListenerJoin :one
UPDATE call_listener SET status = 'joined', joined_at = now() WHERE id = @id AND status = 'answered' RETURNING *;

-- name: CallListenerSetMode :one
UPDATE call_listener SET mode = @mode WHERE account_id = @account_id AND call_id = @call_id AND id = @id AND ended_at IS NULL RETURNING *;

-- name: CallListenerGet :one
SELECT * FROM call_listener WHERE account_id = @account_id AND call_id = @call_id AND id = @id;

-- name: CallListenerList :many
SELECT * FROM call_listener WHERE account_id = @account_id AND call_id = @call_id ORDER BY id DESC LIMIT 1000;

-- name: CallListenerEnd :one
UPDATE call_listener SET status = CASE WHEN joined_at IS NULL THEN 'missed' ELSE 'left' END, offer = '', answer = NULL, ended_at = now()
WHERE account_id = @account_id AND call_id = @call_id AND id = @id AND ended_at IS NULL
RETURNING *;

-- name: CallListenerEndOfCalls :many
UPDATE call_listener SET status = CASE WHEN joined_at IS NULL THEN 'missed' ELSE 'left' END, offer = '', answer = NULL, ended_at = now()
WHERE call_id = ANY (@call_ids::uuid[]) AND ended_at IS NULL
RETURNING *;
