-- name: WebhookEndpointInsert :one
INSERT INTO webhook_endpoint (id, account_id, assistant_id, url, secret)
VALUES (@id, @account_id, sqlc.narg('assistant_id'), sqlc.narg('url'), sqlc.narg('secret'))
RETURNING *;

-- Where events may go, best first, as it is now (a mended URL mends old deliveries): an assistant's own server if it has
-- one, then the account's row, whose secret signs when the server has none.
-- name: WebhookEndpointListForEvents :many
SELECT * FROM webhook_endpoint
WHERE account_id = ANY (@account_ids::uuid[]) AND (assistant_id IS NULL OR assistant_id = ANY (@assistant_ids::uuid[]))
ORDER BY assistant_id NULLS LAST;

-- The types that the destination of an assistant's events asks for.
-- name: WebhookEndpointEventsForAssistant :one
SELECT events FROM webhook_endpoint
WHERE account_id = @account_id AND (assistant_id = @assistant_id::uuid AND url IS NOT NULL OR assistant_id IS NULL)
ORDER BY assistant_id NULLS LAST LIMIT 1;

-- Counts how deliveries to endpoints went. A success resets all counters. An endpoint that is unavailable, or that failed ten
-- times in a row, fails: retry_at is when it is probed next, 8 to 10 s after the attempt or the beginning of the probe before:
-- one that hangs tells late. From the tenth failure in a row on it gets probes alone. 410 or 50 dead deliveries in a row disable it.
-- name: WebhookEndpointCount :many
WITH went AS (
    SELECT unnest(@ids::uuid[]) AS id, unnest(@succeeded::boolean[]) AS succeeded, unnest(@failures::integer[]) AS failures,
        unnest(@dead::integer[]) AS dead, unnest(@probes::integer[]) AS probes, unnest(@gone::boolean[]) AS gone,
        unnest(@unavailable::boolean[]) AS unavailable
), before AS (
    SELECT webhook_endpoint.id, webhook_endpoint.enabled, went.succeeded, went.gone,
        webhook_endpoint.failures + went.failures AS failures, webhook_endpoint.dead_in_row + went.dead AS dead_in_row,
        webhook_endpoint.failed_probes + went.probes AS failed_probes, went.probes > 0 AS probed, went.unavailable
    FROM webhook_endpoint JOIN went ON went.id = webhook_endpoint.id
    ORDER BY webhook_endpoint.id FOR UPDATE OF webhook_endpoint
)
UPDATE webhook_endpoint SET
    failures = CASE WHEN before.succeeded THEN 0 ELSE before.failures END,
    dead_in_row = CASE WHEN before.succeeded THEN 0 ELSE before.dead_in_row END,
    failed_probes = CASE WHEN before.succeeded THEN 0 ELSE before.failed_probes END,
    retry_at = CASE
        WHEN before.succeeded THEN NULL
        WHEN before.probed AND webhook_endpoint.retry_at IS NOT NULL
            THEN greatest(webhook_endpoint.retry_at - interval '12 seconds' + random() * interval '2 seconds', now() + interval '1 second')
        WHEN before.probed OR webhook_endpoint.retry_at IS NULL AND (before.unavailable OR before.failures >= 10)
            THEN now() + interval '8 seconds' + random() * interval '2 seconds'
        ELSE webhook_endpoint.retry_at END,
    enabled = webhook_endpoint.enabled AND NOT before.gone AND (before.succeeded OR before.dead_in_row < 50),
    disabled_reason = CASE
        WHEN NOT webhook_endpoint.enabled THEN webhook_endpoint.disabled_reason
        WHEN before.gone THEN 'The server answered 410 Gone.'
        WHEN NOT before.succeeded AND before.dead_in_row >= 50 THEN '50 deliveries in a row failed for good.' END,
    updated_at = now()
FROM before WHERE before.id = webhook_endpoint.id
RETURNING webhook_endpoint.id, webhook_endpoint.account_id, webhook_endpoint.url, webhook_endpoint.updated_at,
    (before.enabled AND NOT webhook_endpoint.enabled)::boolean AS disabled, coalesce(webhook_endpoint.disabled_reason, '')::text AS reason;

-- Claims the probe of an endpoint that is due, for as long as an attempt may take.
-- name: WebhookEndpointClaimProbe :execrows
UPDATE webhook_endpoint SET retry_at = now() + interval '20 seconds' WHERE id = @id AND retry_at <= now();

-- name: WebhookEndpointGetForAccount :one
SELECT * FROM webhook_endpoint WHERE account_id = @account_id AND assistant_id IS NULL;

-- name: WebhookEndpointPut :one
UPDATE webhook_endpoint SET url = sqlc.narg('url'), events = @events, enabled = @enabled,
    disabled_reason = CASE WHEN @enabled THEN NULL ELSE coalesce(disabled_reason, 'Disabled through the API.') END,
    failures = 0, dead_in_row = 0, failed_probes = 0, retry_at = NULL, updated_at = now()
WHERE account_id = @account_id AND assistant_id IS NULL
RETURNING *;

-- The secret before stays valid for a day, unless it ends now.
-- name: WebhookEndpointRotateSecret :one
UPDATE webhook_endpoint SET previous_secret = CASE WHEN NOT @end_old::boolean THEN secret END,
    previous_secret_expires_at = CASE WHEN NOT @end_old::boolean THEN now() + interval '24 hours' END, secret = @secret, updated_at = now()
WHERE account_id = @account_id AND assistant_id IS NULL
RETURNING *;

-- An assistant's own server. A NULL secret keeps the one before.
-- name: WebhookEndpointPutForAssistant :one
INSERT INTO webhook_endpoint (id, account_id, assistant_id, url, secret, headers, timeout_seconds, events)
VALUES (@id, @account_id, @assistant_id, @url, sqlc.narg('secret'), @headers, @timeout_seconds, @events)
ON CONFLICT (account_id, assistant_id) DO UPDATE
SET url = excluded.url, secret = coalesce(excluded.secret, webhook_endpoint.secret), headers = excluded.headers,
    timeout_seconds = excluded.timeout_seconds, events = excluded.events, enabled = true, disabled_reason = NULL,
    failures = 0, dead_in_row = 0, failed_probes = 0, retry_at = NULL, updated_at = now()
RETURNING *;

-- name: WebhookEndpointSetSecret :exec
UPDATE webhook_endpoint SET secret = @secret, updated_at = now() WHERE account_id = @account_id AND id = @id;

-- name: WebhookEndpointDeleteForAssistant :exec
DELETE FROM webhook_endpoint WHERE account_id = @account_id AND assistant_id = @assistant_id;
