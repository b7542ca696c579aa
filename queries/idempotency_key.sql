-- The lock is held until the transaction ends, so "not locked" means that the first request of this key still runs.
-- name: IdempotencyKeyTryLock :one
SELECT pg_try_advisory_xact_lock(hashtextextended(concat_ws('/', 'idempotency', sqlc.arg(account_id)::uuid, sqlc.arg(key)::text), 0))::boolean AS locked;

-- name: IdempotencyKeyGet :one
SELECT * FROM idempotency_key WHERE account_id = @account_id AND key = @key AND created_at > now() - interval '24 hours';

-- A key that is older than a day is free again.
-- name: IdempotencyKeyInsert :exec
INSERT INTO idempotency_key (account_id, key, fingerprint, status, body)
VALUES (@account_id, @key, @fingerprint, @status, @body)
ON CONFLICT (account_id, key) DO UPDATE
SET fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, created_at = now()
WHERE idempotency_key.created_at <= now() - interval '24 hours';

-- name: IdempotencyKeyDeleteExpired :execrows
DELETE FROM idempotency_key WHERE created_at <= now() - interval '24 hours';
