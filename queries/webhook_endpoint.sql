-- name: WebhookEndpointInsert :one
INSERT INTO webhook_endpoint (id, account_id, assistant_id, url, secret)
VALUES (@id, @account_id, sqlc.narg('assistant_id'), sqlc.narg('url'), sqlc.narg('secret'))
RETURNING *;

-- name: WebhookEndpointSetURL :one
UPDATE webhook_endpoint SET url = @url, enabled = true, disabled_reason = NULL, events = @events, updated_at = now()
WHERE account_id = @account_id AND assistant_id IS NULL
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
