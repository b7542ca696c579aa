-- name: WebhookEndpointInsert :one
INSERT INTO webhook_endpoint (id, account_id, assistant_id, url, secret)
VALUES (@id, @account_id, sqlc.narg('assistant_id'), sqlc.narg('url'), sqlc.narg('secret'))
RETURNING *;

-- name: WebhookEndpointDisable :exec
UPDATE webhook_endpoint SET enabled = false, disabled_reason = @reason, updated_at = now()
WHERE id = @id AND enabled;

-- Where an event may go, best first, as it is now (a mended URL mends old deliveries): the assistant's own server if it
-- has one, then the account's row, whose secret signs when the server has none.
-- name: WebhookEndpointListForEvent :many
SELECT * FROM webhook_endpoint
WHERE account_id = @account_id AND (assistant_id = sqlc.narg('assistant_id') OR assistant_id IS NULL)
ORDER BY assistant_id NULLS LAST LIMIT 2;

-- name: WebhookEndpointGetForAccount :one
SELECT * FROM webhook_endpoint WHERE account_id = @account_id AND assistant_id IS NULL;

-- name: WebhookEndpointPut :one
UPDATE webhook_endpoint SET url = sqlc.narg('url'), events = @events, enabled = @enabled,
    disabled_reason = CASE WHEN @enabled THEN NULL ELSE coalesce(disabled_reason, 'Disabled through the API.') END, updated_at = now()
WHERE account_id = @account_id AND assistant_id IS NULL
RETURNING *;

-- The secret before stays valid for a day.
-- name: WebhookEndpointRotateSecret :one
UPDATE webhook_endpoint SET previous_secret = secret, previous_secret_expires_at = now() + interval '24 hours', secret = @secret, updated_at = now()
WHERE account_id = @account_id AND assistant_id IS NULL
RETURNING *;

-- An assistant's own server. A NULL secret keeps the one before.
-- name: WebhookEndpointPutForAssistant :one
INSERT INTO webhook_endpoint (id, account_id, assistant_id, url, secret, headers, timeout_seconds)
VALUES (@id, @account_id, @assistant_id, @url, sqlc.narg('secret'), @headers, @timeout_seconds)
ON CONFLICT (account_id, assistant_id) DO UPDATE
SET url = excluded.url, secret = coalesce(excluded.secret, webhook_endpoint.secret), headers = excluded.headers,
    timeout_seconds = excluded.timeout_seconds, enabled = true, disabled_reason = NULL, updated_at = now()
RETURNING *;

-- name: WebhookEndpointSetSecret :exec
UPDATE webhook_endpoint SET secret = @secret, updated_at = now() WHERE account_id = @account_id AND id = @id;

-- name: WebhookEndpointDeleteForAssistant :exec
DELETE FROM webhook_endpoint WHERE account_id = @account_id AND assistant_id = @assistant_id;
