-- working -> used up, expired or revoked.

-- No row: the assistant or the contact is not there.
-- name: WebTokenInsert :one
INSERT INTO web_token (id, account_id, assistant_id, contact_id, test, prefix, hash, origins, variables, max_calls, expires_at)
SELECT @id, assistant.account_id, assistant.id, sqlc.narg('contact_id')::uuid, @test, @prefix, @hash, @origins::text[], @variables, @max_calls,
    now() + make_interval(secs => @seconds::integer)
FROM assistant
WHERE assistant.account_id = @account_id AND assistant.id = @assistant_id AND assistant.deleted_at IS NULL AND (@test OR NOT assistant.test)
    AND (sqlc.narg('contact_id')::uuid IS NULL OR EXISTS (
        SELECT FROM contact WHERE contact.account_id = assistant.account_id AND contact.id = sqlc.narg('contact_id')::uuid AND contact.deleted_at IS NULL))
RETURNING *;

-- Those that work: the others are of no use to anybody.
-- name: WebTokenList :many
SELECT * FROM web_token
WHERE account_id = @account_id AND revoked_at IS NULL AND expires_at > now() AND id < @before
ORDER BY id DESC LIMIT @max::int OFFSET @skip::int;

-- name: WebTokenCount :one
SELECT count(*) FROM web_token WHERE account_id = @account_id AND revoked_at IS NULL AND expires_at > now();

-- name: WebTokenRevoke :one
UPDATE web_token SET revoked_at = now()
WHERE account_id = @account_id AND id = @id AND revoked_at IS NULL AND expires_at > now()
RETURNING *;

-- A token that made calls ends them for as long as they may last, also when it makes no more.
-- name: WebTokenGetByHash :one
SELECT sqlc.embed(web_token), (web_token.revoked_at IS NULL AND web_token.expires_at > now())::boolean AS works
FROM web_token WHERE hash = @hash;

-- Takes one of the calls of a token.
-- name: WebTokenUse :one
UPDATE web_token SET calls = calls + 1
WHERE account_id = @account_id AND id = @id AND calls < max_calls AND revoked_at IS NULL AND expires_at > now()
RETURNING *;

-- name: WebTokenDeleteExpired :execrows
DELETE FROM web_token WHERE expires_at < now() - interval '7 days';
