-- queued -> sending -> sent | failed; sending -> queued where the provider certainly did not take it. The move to sending
-- commits before the provider is asked. A message that is found sending when its time is over may have been sent: it
-- has failed and is not sent again, because no provider recognises two requests as one, and a caller who is
-- written to twice is worse off than one who is not.

-- A call that has its message already gets no other, nor does a number that was written to today.
-- name: SMSInsertMany :many
INSERT INTO sms (id, account_id, call_id, simulated, recipient, content)
SELECT unnest(@ids::uuid[]), unnest(@account_ids::uuid[]), unnest(@call_ids::uuid[]), unnest(@simulated::boolean[]), unnest(@recipients::text[]), unnest(@contents::text[])
ON CONFLICT DO NOTHING
RETURNING id, account_id, simulated;

-- name: SMSGet :one
SELECT * FROM sms WHERE id = @id;

-- name: SMSClaim :one
UPDATE sms SET status = 'sending', attempts = attempts + 1, updated_at = now() WHERE id = @id AND status = 'queued' RETURNING *;

-- name: SMSReturn :exec
UPDATE sms SET status = 'queued', error = sqlc.narg('error'), updated_at = now()
WHERE id = @id AND status = 'sending' AND attempts = @attempts;

-- name: SMSFinish :exec
UPDATE sms SET status = @status, content = NULL, provider = @provider, provider_id = sqlc.narg('provider_id'), error = sqlc.narg('error'), updated_at = now()
WHERE id = @id AND status = 'sending' AND attempts = @attempts;

-- name: SMSGiveUp :execrows
UPDATE sms SET status = 'failed', content = NULL, error = @error, updated_at = now()
WHERE id = @id AND status = 'sending' AND updated_at <= now() - make_interval(secs => @seconds::double precision);

-- Who was written to is kept for a month, for the question whether a message left.
-- name: SMSDeleteExpired :execrows
DELETE FROM sms WHERE status IN ('sent', 'failed') AND updated_at <= now() - interval '30 days';
