-- An assistant is deleted softly: past calls keep pointing at it, a call in progress goes on.

-- name: AssistantInsert :one
INSERT INTO assistant (id, account_id, test, name, config) VALUES (@id, @account_id, @test, @name, @config) RETURNING *;

-- Every response about an assistant shows its linked number and its server, so both are read with it.
-- name: AssistantGet :one
SELECT sqlc.embed(assistant), phone_number.id AS phone_number_id, phone_number.number AS phone_number,
    phone_number.type AS phone_number_type, phone_number.locality AS phone_number_locality,
    webhook_endpoint.url AS server_url, webhook_endpoint.headers AS server_headers,
    webhook_endpoint.timeout_seconds AS server_timeout_seconds, webhook_endpoint.events AS server_events
FROM assistant
LEFT JOIN phone_number_link ON phone_number_link.account_id = assistant.account_id AND phone_number_link.assistant_id = assistant.id
LEFT JOIN phone_number ON phone_number.id = phone_number_link.phone_number_id
LEFT JOIN webhook_endpoint ON webhook_endpoint.account_id = assistant.account_id AND webhook_endpoint.assistant_id = assistant.id
WHERE assistant.account_id = @account_id AND assistant.id = @id AND assistant.deleted_at IS NULL;

-- name: AssistantList :many
SELECT sqlc.embed(assistant), phone_number.id AS phone_number_id, phone_number.number AS phone_number,
    phone_number.type AS phone_number_type, phone_number.locality AS phone_number_locality,
    webhook_endpoint.url AS server_url, webhook_endpoint.headers AS server_headers,
    webhook_endpoint.timeout_seconds AS server_timeout_seconds, webhook_endpoint.events AS server_events
FROM assistant
LEFT JOIN phone_number_link ON phone_number_link.account_id = assistant.account_id AND phone_number_link.assistant_id = assistant.id
LEFT JOIN phone_number ON phone_number.id = phone_number_link.phone_number_id
LEFT JOIN webhook_endpoint ON webhook_endpoint.account_id = assistant.account_id AND webhook_endpoint.assistant_id = assistant.id
WHERE assistant.account_id = @account_id AND assistant.deleted_at IS NULL AND assistant.id < @before
ORDER BY assistant.id DESC
LIMIT @max::int OFFSET @skip::int;

-- name: AssistantCount :one
SELECT count(*) FROM assistant WHERE account_id = @account_id AND deleted_at IS NULL;

-- name: AssistantLock :one
SELECT * FROM assistant WHERE account_id = @account_id AND id = @id AND deleted_at IS NULL FOR UPDATE;

-- name: AssistantUpdate :one
UPDATE assistant SET name = @name, config = @config, updated_at = now()
WHERE account_id = @account_id AND id = @id AND deleted_at IS NULL
RETURNING *;

-- name: AssistantDelete :one
UPDATE assistant SET deleted_at = now(), updated_at = now()
WHERE account_id = @account_id AND id = @id AND deleted_at IS NULL
RETURNING *;

-- name: AssistantIsTest :one
SELECT test FROM assistant WHERE account_id = @account_id AND id = @id;

-- Whoever gives an assistant something of its own holds it meanwhile, so that a deletion finds it.
-- name: AssistantLockShared :one
SELECT id, test FROM assistant WHERE account_id = @account_id AND id = @id AND deleted_at IS NULL FOR SHARE;

-- name: AssistantVersionListMany :many
SELECT id, config, used FROM assistant_version WHERE id = ANY (@ids::uuid[]);

-- name: AssistantVersionUse :exec
UPDATE assistant_version SET used = true WHERE id = ANY (@ids::uuid[]) AND NOT used;

-- Removes versions that no call refers to: those that none has named before they were replaced, and those that were replaced before
-- the account's oldest call was made. A day is more than any two clocks differ, and an hour than a transaction takes.
-- name: AssistantVersionDeleteUnused :execrows
DELETE FROM assistant_version
WHERE assistant_version.replaced_at < now() - interval '1 hour' AND NOT assistant_version.used
    OR assistant_version.replaced_at < now() - interval '1 day' AND coalesce((
        SELECT call.id FROM call WHERE call.account_id = assistant_version.account_id ORDER BY call.id LIMIT 1
    ) > uuid_at(assistant_version.replaced_at + interval '1 day'), true);
