-- Entries are written in the transaction of what they are about, and are never changed. Their ids begin with their time, so that both
-- find them.

-- name: AuditEntryInsertMany :exec
INSERT INTO audit_entry (id, account_id, person_id, api_key_id, operation, resource_id, address, user_agent, request_id, created_at)
SELECT entry.id, entry.account_id, nullif(entry.person_id, '00000000-0000-0000-0000-000000000000'), nullif(entry.api_key_id, '00000000-0000-0000-0000-000000000000'),
    entry.operation, nullif(entry.resource_id, '00000000-0000-0000-0000-000000000000'), entry.address, entry.user_agent, entry.request_id, entry.created_at
FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@account_ids::uuid[]) AS account_id, unnest(@person_ids::uuid[]) AS person_id,
    unnest(@api_key_ids::uuid[]) AS api_key_id, unnest(@operations::text[]) AS operation, unnest(@resource_ids::uuid[]) AS resource_id,
    unnest(@addresses::inet[]) AS address, unnest(@user_agents::text[]) AS user_agent, unnest(@request_ids::text[]) AS request_id,
    unnest(@created_ats::timestamptz[]) AS created_at) AS entry;

-- name: AuditEntryList :many
SELECT sqlc.embed(audit_entry), person.email AS person_email, person.name AS person_name, api_key.name AS api_key_name
FROM audit_entry LEFT JOIN person ON person.id = audit_entry.person_id
    LEFT JOIN api_key ON api_key.account_id = audit_entry.account_id AND api_key.id = audit_entry.api_key_id
WHERE audit_entry.account_id = @account_id AND audit_entry.id < @before
    AND (sqlc.narg('actor')::uuid IS NULL OR coalesce(audit_entry.person_id, audit_entry.api_key_id) = sqlc.narg('actor'))
    AND (sqlc.narg('operation')::text IS NULL OR audit_entry.operation = sqlc.narg('operation'))
    AND (sqlc.narg('resource_id')::uuid IS NULL OR audit_entry.resource_id = sqlc.narg('resource_id'))
    AND audit_entry.id >= uuid_at(@since) AND audit_entry.id < uuid_at(@until)
ORDER BY audit_entry.id DESC
LIMIT @max::int OFFSET @skip::int;

-- name: AuditEntryCount :one
SELECT count(*) FROM audit_entry
WHERE audit_entry.account_id = @account_id
    AND (sqlc.narg('actor')::uuid IS NULL OR coalesce(audit_entry.person_id, audit_entry.api_key_id) = sqlc.narg('actor'))
    AND (sqlc.narg('operation')::text IS NULL OR audit_entry.operation = sqlc.narg('operation'))
    AND (sqlc.narg('resource_id')::uuid IS NULL OR audit_entry.resource_id = sqlc.narg('resource_id'))
    AND audit_entry.id >= uuid_at(@since) AND audit_entry.id < uuid_at(@until);

-- name: AuditEntryDeleteExpired :execrows
DELETE FROM audit_entry WHERE id IN (
    SELECT old.id FROM audit_entry AS old WHERE old.account_id = @account_id AND old.id < uuid_at(@before) ORDER BY old.id LIMIT @max::int);
