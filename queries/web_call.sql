-- A web call begins as ringing, owned by nobody: a worker claims it by compare-and-set, or it is abandoned. Its further transitions
-- are those of call.sql.

-- No row: the assistant or the contact is gone, or a test key made the assistant and nothing of it is real.
-- name: WebCallInsert :one
INSERT INTO call (id, account_id, direction, status, channel, simulated, assistant_id, assistant_name, assistant_config, assistant_version_id, contact_id,
    contact_name, contact_phone_number, phone_number, variables, traceparent, timeline)
SELECT asked.id, assistant.account_id, 'inbound', 'ringing', 'web', asked.simulated, assistant.id, assistant.name,
    CASE WHEN NOT @by_version::boolean THEN assistant.config END, CASE WHEN @by_version THEN assistant.version_id END, person.id,
    person.full_name, coalesce(person.phone_number, asked.visitor), '', asked.variables, nullif(asked.traceparent, ''),
    jsonb_build_array(jsonb_build_object('status', 'ringing', 'at', now()))
FROM (SELECT @id::uuid AS id, @simulated::boolean AS simulated, @visitor::text AS visitor, @variables::jsonb AS variables, @traceparent::text AS traceparent) AS asked
JOIN assistant ON assistant.account_id = @account_id AND assistant.id = @assistant_id AND assistant.deleted_at IS NULL AND (asked.simulated OR NOT assistant.test)
LEFT JOIN LATERAL (
    SELECT contact.id, contact.full_name, contact.phone_number FROM contact
    WHERE contact.account_id = assistant.account_id AND contact.id = sqlc.narg('contact_id')::uuid AND contact.deleted_at IS NULL
    FOR KEY SHARE
) AS person ON true
WHERE sqlc.narg('contact_id')::uuid IS NULL OR person.id IS NOT NULL
RETURNING *;

-- name: WebOfferInsert :exec
INSERT INTO web_offer (call_id, account_id, web_token_id, offer, expires_at)
VALUES (@call_id, @account_id, sqlc.narg('web_token_id'), @offer, now() + make_interval(secs => @seconds::double precision));

-- The calls that no worker has claimed yet, the oldest first.
-- name: WebOfferListOpen :many
SELECT web_offer.call_id FROM web_offer JOIN call ON call.account_id = web_offer.account_id AND call.id = web_offer.call_id
WHERE web_offer.expires_at > now() AND web_offer.expires_at < 'infinity' AND call.worker_id IS NULL AND call.status = 'ringing'
ORDER BY web_offer.call_id LIMIT 100;

-- No row: another worker was faster, or nobody waits any more.
-- name: WebCallClaim :one
UPDATE call SET worker_id = @worker_id::text, recording_secret = @recording_secret::text, updated_at = now()
FROM web_offer
WHERE call.id = @id AND call.worker_id IS NULL AND call.status = 'ringing' AND call.channel = 'web'
    AND web_offer.account_id = call.account_id AND web_offer.call_id = call.id AND web_offer.expires_at > now()
RETURNING call.*;

-- name: WebOfferGet :one
SELECT offer FROM web_offer WHERE call_id = @call_id;

-- name: WebOfferAnswer :exec
UPDATE web_offer SET answer = sqlc.narg('answer')::text, failure = sqlc.narg('failure')::text
WHERE web_offer.call_id = @call_id AND web_offer.answer IS NULL AND web_offer.failure IS NULL
    AND EXISTS (SELECT FROM call WHERE call.id = web_offer.call_id AND call.worker_id = @worker_id::text);

-- Hands out an answer once, and forgets it.
-- name: WebOfferTakeAnswer :one
UPDATE web_offer SET offer = '', answer = NULL, failure = NULL, expires_at = 'infinity'
FROM (SELECT web_offer.call_id, web_offer.answer, web_offer.failure FROM web_offer WHERE web_offer.account_id = @account_id AND web_offer.call_id = @call_id FOR UPDATE) AS answered
WHERE web_offer.call_id = answered.call_id AND (answered.answer IS NOT NULL OR answered.failure IS NOT NULL)
RETURNING coalesce(answered.answer, '')::text AS answer, coalesce(answered.failure, '')::text AS failure;

-- name: WebCallAbandon :one
UPDATE call SET status = 'failed', ended_at = now(), ended_reason = @ended_reason, ended_fault = @ended_fault, error = @error,
    timeline = call.timeline || jsonb_build_object('status', 'failed', 'at', now()), updated_at = now()
WHERE call.account_id = @account_id AND call.id = @id AND call.channel = 'web' AND call.status = 'ringing' AND call.worker_id IS NULL
RETURNING *;

-- Forgets an offer that nobody waits for, and gives its call back to its token.
-- name: WebOfferForget :exec
WITH forgotten AS (
    UPDATE web_offer SET offer = '', answer = NULL, failure = NULL, expires_at = 'infinity'
    WHERE web_offer.account_id = @account_id AND web_offer.call_id = @call_id AND web_offer.expires_at < 'infinity'
    RETURNING web_offer.account_id, web_offer.web_token_id
)
UPDATE web_token SET calls = greatest(web_token.calls - 1, 0)
FROM forgotten WHERE @unused::boolean AND web_token.account_id = forgotten.account_id AND web_token.id = forgotten.web_token_id;

-- name: WebOfferListExpired :many
SELECT web_offer.account_id, web_offer.call_id FROM web_offer WHERE web_offer.expires_at < now() ORDER BY web_offer.expires_at LIMIT 100;

-- name: WebOfferIsOfToken :one
SELECT EXISTS (SELECT FROM web_offer WHERE account_id = @account_id AND call_id = @call_id AND web_token_id = @web_token_id::uuid)::boolean AS own;
