-- name: APIKeyInsert :one
INSERT INTO api_key (id, account_id, name, mode, scope, prefix, hash, requests_per_minute, expires_at)
VALUES (@id, @account_id, @name, @mode, @scope, @prefix, @hash, @requests_per_minute, sqlc.narg('expires_at'))
RETURNING *;

-- Every response about a key says when it was last used, to the minute: its rate window knows, so no request writes it down.
-- name: APIKeyGet :one
SELECT sqlc.embed(api_key), rate_window.window_start AS last_used_at
FROM api_key LEFT JOIN rate_window ON rate_window.api_key_id = api_key.id
WHERE api_key.account_id = @account_id AND api_key.id = @id AND api_key.kind = 'key' AND api_key.revoked_at IS NULL;

-- name: APIKeyList :many
SELECT sqlc.embed(api_key), rate_window.window_start AS last_used_at
FROM api_key LEFT JOIN rate_window ON rate_window.api_key_id = api_key.id
WHERE api_key.account_id = @account_id AND api_key.kind = 'key' AND api_key.revoked_at IS NULL AND api_key.id < @before
ORDER BY api_key.id DESC
LIMIT @max::int OFFSET @skip::int;

-- For the operator, who sees revoked keys too.
-- name: APIKeyListAll :many
SELECT sqlc.embed(api_key), rate_window.window_start AS last_used_at
FROM api_key LEFT JOIN rate_window ON rate_window.api_key_id = api_key.id
WHERE api_key.account_id = @account_id AND api_key.kind = 'key'
ORDER BY api_key.id;

-- name: APIKeyCount :one
SELECT count(*) FROM api_key WHERE account_id = @account_id AND kind = 'key' AND revoked_at IS NULL;

-- name: APIKeyCountWorking :one
SELECT count(*) FROM api_key
WHERE account_id = @account_id AND kind = 'key' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now());

-- name: APIKeyRevoke :one
UPDATE api_key SET revoked_at = now()
WHERE account_id = @account_id AND id = @id AND kind = 'key' AND revoked_at IS NULL
RETURNING *;

-- A key is replaced once, while it works. It works on until its grace or its own end is over.
-- name: APIKeyReplace :one
UPDATE api_key SET replaced_by = @replaced_by, expires_at = least(expires_at, now() + make_interval(secs => @grace_seconds))
WHERE account_id = @account_id AND id = @id AND kind = 'key' AND revoked_at IS NULL AND replaced_by IS NULL AND (expires_at IS NULL OR expires_at > now())
RETURNING *;

-- name: APIKeyGetByHash :one
SELECT * FROM api_key
WHERE account_id = @account_id AND kind = 'key' AND hash = @hash AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now());

-- Whether a key, or a session, that opened a stream still works. The sessions of who is no member any more are gone.
-- name: APIKeyWorks :one
SELECT EXISTS (SELECT FROM api_key WHERE account_id = @account_id AND id = @id AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()));

-- Authenticates keys and counts their requests in one round trip, exactly, whatever number of API processes ask. What a key
-- is refused does not count for the account: granted requests do, which are the first of their key. The rows are locked in one
-- order. A window never goes back: a transaction that began before the minute turned counts in the new minute. A session works
-- while its person is a member, and until it was not used for so long, which is told by its rate window.
-- name: APIKeyAuthenticateMany :many
WITH key AS MATERIALIZED (
    SELECT api_key.id, api_key.account_id, api_key.hash, api_key.mode, api_key.scope, api_key.requests_per_minute, api_key.expires_at,
        api_key.person_id, membership.role, account.requests_per_minute AS account_requests_per_minute, asked.requests
    FROM (SELECT unnest(@hashes::bytea[]) AS hash, unnest(@requests::integer[]) AS requests) AS asked
    JOIN api_key ON api_key.hash = asked.hash
    JOIN account ON account.id = api_key.account_id
    LEFT JOIN membership ON membership.account_id = api_key.account_id AND membership.person_id = api_key.person_id AND membership.joined_at IS NOT NULL
    LEFT JOIN rate_window AS seen ON api_key.kind = 'session' AND seen.api_key_id = api_key.id
    WHERE api_key.revoked_at IS NULL AND (api_key.expires_at IS NULL OR api_key.expires_at > now())
        AND (api_key.kind = 'key' OR membership.role IS NOT NULL
            AND coalesce(seen.window_start, api_key.created_at) > now() - make_interval(secs => @session_idle_seconds::double precision))
), hit AS (
    INSERT INTO rate_window AS w (api_key_id, window_start, hits)
    SELECT key.id, date_trunc('minute', now()), key.requests FROM key ORDER BY key.id
    ON CONFLICT (api_key_id) DO UPDATE SET
        hits = CASE WHEN w.window_start >= excluded.window_start THEN w.hits + excluded.hits ELSE excluded.hits END,
        window_start = greatest(w.window_start, excluded.window_start)
    RETURNING w.api_key_id, w.hits, w.window_start
), granted AS MATERIALIZED (
    SELECT key.id, key.account_id, hit.hits, hit.window_start,
        greatest(0, least(key.requests, key.requests_per_minute - hit.hits + key.requests)) AS requests
    FROM key JOIN hit ON hit.api_key_id = key.id
), shared AS (
    INSERT INTO account_rate_window AS w (account_id, window_start, hits)
    SELECT granted.account_id, max(granted.window_start), sum(granted.requests)::integer FROM granted
    GROUP BY granted.account_id HAVING sum(granted.requests) > 0 ORDER BY granted.account_id
    ON CONFLICT (account_id) DO UPDATE SET
        hits = CASE WHEN w.window_start >= excluded.window_start THEN w.hits + excluded.hits ELSE excluded.hits END,
        window_start = greatest(w.window_start, excluded.window_start)
    RETURNING w.account_id, w.hits
)
SELECT key.hash, key.id, key.account_id, key.mode, key.scope, key.requests_per_minute, key.expires_at, key.account_requests_per_minute,
    key.person_id, key.role,
    (granted.hits - key.requests)::integer AS earlier_hits, granted.window_start,
    (coalesce(shared.hits, 0) - sum(granted.requests) OVER (PARTITION BY key.account_id))::integer AS earlier_account_hits
FROM key JOIN granted ON granted.id = key.id LEFT JOIN shared ON shared.account_id = key.account_id;

-- name: SessionInsert :one
INSERT INTO api_key (id, account_id, kind, person_id, name, mode, scope, prefix, hash, requests_per_minute, expires_at, address, user_agent)
VALUES (@id, @account_id, 'session', @person_id, 'session', 'live', 'admin', '', @hash, @requests_per_minute,
    now() + make_interval(secs => @seconds::double precision), @address, @user_agent)
RETURNING *;

-- The sessions of a person that work, in all accounts.
-- name: SessionList :many
SELECT sqlc.embed(api_key), account.name AS account_name, coalesce(rate_window.window_start, api_key.created_at)::timestamptz AS last_used_at
FROM api_key JOIN account ON account.id = api_key.account_id LEFT JOIN rate_window ON rate_window.api_key_id = api_key.id
WHERE api_key.person_id = @person_id AND api_key.kind = 'session' AND api_key.revoked_at IS NULL AND api_key.expires_at > now()
    AND coalesce(rate_window.window_start, api_key.created_at) > now() - make_interval(secs => @idle_seconds::double precision)
ORDER BY api_key.id DESC;

-- name: SessionRevoke :one
UPDATE api_key SET revoked_at = now() WHERE person_id = @person_id AND id = @id AND kind = 'session' AND revoked_at IS NULL RETURNING id;

-- Whoever signs in anew leaves no session behind.
-- name: SessionRevokeByHash :exec
UPDATE api_key SET revoked_at = now() WHERE hash = @hash AND kind = 'session' AND revoked_at IS NULL;

-- Revokes all sessions of a person but one.
-- name: SessionRevokeOthers :exec
UPDATE api_key SET revoked_at = now() WHERE person_id = @person_id AND kind = 'session' AND id <> @keep AND revoked_at IS NULL;

-- name: SessionSetAccount :one
UPDATE api_key SET account_id = @account_id
WHERE api_key.person_id = @person_id AND api_key.id = @id AND api_key.kind = 'session' AND api_key.revoked_at IS NULL
    AND EXISTS (SELECT FROM membership WHERE membership.account_id = @account_id AND membership.person_id = @person_id AND membership.joined_at IS NOT NULL)
RETURNING api_key.id;

-- name: SessionDeleteExpired :execrows
WITH ended AS (
    DELETE FROM api_key WHERE kind = 'session' AND (expires_at <= now() - interval '1 day' OR revoked_at <= now() - interval '1 day') RETURNING id
)
DELETE FROM rate_window WHERE api_key_id IN (SELECT ended.id FROM ended);
