-- The locks are held until the transaction ends, so "not locked" means that the first request of this key still runs.
-- name: IdempotencyKeyTryLockMany :many
SELECT asked.account_id::uuid AS account_id, asked.key::text AS key,
    pg_try_advisory_xact_lock(hashtextextended(concat_ws('/', 'idempotency', asked.account_id, asked.key), 0))::boolean AS locked
FROM (SELECT unnest(@account_ids::uuid[]) AS account_id, unnest(@keys::text[]) AS key) AS asked;

-- name: IdempotencyKeyGetMany :many
SELECT idempotency_key.* FROM (SELECT unnest(@account_ids::uuid[]) AS account_id, unnest(@keys::text[]) AS key) AS asked
JOIN idempotency_key ON idempotency_key.account_id = asked.account_id AND idempotency_key.key = asked.key
WHERE idempotency_key.created_at > now() - interval '24 hours';

-- A key that is older than a day is free again.
-- name: IdempotencyKeyInsertMany :exec
INSERT INTO idempotency_key (account_id, key, fingerprint, status, body)
SELECT unnest(@account_ids::uuid[]), unnest(@keys::text[]), unnest(@fingerprints::bytea[]), unnest(@statuses::integer[]), unnest(@bodies::jsonb[])
ON CONFLICT (account_id, key) DO UPDATE
SET fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, created_at = now()
WHERE idempotency_key.created_at <= now() - interval '24 hours';

-- name: IdempotencyKeyDeleteExpired :execrows
DELETE FROM idempotency_key WHERE created_at <= now() - interval '24 hours';
