-- registering -> registered <-> failed -> stopped; a test goes back to registering. worker_id is the process that keeps the connection
-- registered, and only it reports: a process that took it over, or a deleted row, makes the report of another one miss.

-- name: SIPConnectionInsert :exec
INSERT INTO sip_connection (id, account_id, phone_number_id, simulated, sip_username, sip_password, sip_proxy, provider_name, transfer)
VALUES (@id, @account_id, @phone_number_id, @simulated, @sip_username, @sip_password, @sip_proxy, @provider_name, coalesce(nullif(@transfer::text, ''), 'auto'));

-- name: SIPConnectionGet :one
SELECT sqlc.embed(sip_connection), phone_number.number FROM sip_connection
JOIN phone_number ON phone_number.id = sip_connection.phone_number_id
WHERE sip_connection.account_id = @account_id AND sip_connection.id = @id;

-- name: SIPConnectionList :many
SELECT sqlc.embed(sip_connection), phone_number.number FROM sip_connection
JOIN phone_number ON phone_number.id = sip_connection.phone_number_id
WHERE sip_connection.account_id = @account_id AND sip_connection.id < @before
ORDER BY sip_connection.id DESC
LIMIT @max::int OFFSET @skip::int;

-- name: SIPConnectionCount :one
SELECT count(*) FROM sip_connection WHERE account_id = @account_id;

-- name: SIPConnectionDelete :one
DELETE FROM sip_connection WHERE account_id = @account_id AND id = @id RETURNING phone_number_id;

-- The row's lock keeps a link from being made meanwhile; whether there is one is asked after it, by a statement of its own.
-- name: SIPConnectionReleaseNumber :exec
UPDATE phone_number SET status = 'released' WHERE account_id = @account_id AND id = @phone_number_id;

-- name: SIPConnectionNumberLinked :one
SELECT EXISTS (SELECT FROM phone_number_link WHERE phone_number_id = @phone_number_id) AS linked;

-- Asks for a new registration; its outcome is there when done has reached the number returned here.
-- name: SIPConnectionTest :one
UPDATE sip_connection SET wanted = wanted + 1, status = 'registering', last_error = NULL, sip_code = NULL, failing_since = NULL, updated_at = now()
WHERE account_id = @account_id AND id = @id
RETURNING wanted;

-- name: SIPConnectionGetUnclaimed :one
SELECT simulated FROM sip_connection WHERE id = @id AND worker_id IS NULL AND status <> 'stopped';

-- name: SIPConnectionClaim :execrows
UPDATE sip_connection SET worker_id = @worker_id WHERE id = @id AND worker_id IS NULL AND status <> 'stopped';

-- Gives up what a process kept registered, so that another one takes it.
-- name: SIPConnectionGiveUp :many
UPDATE sip_connection SET worker_id = NULL WHERE worker_id = @worker_id RETURNING id;

-- What a process has to keep registered; wanted distinguishes the registrations of one connection.
-- name: SIPConnectionListOwn :many
SELECT id, wanted FROM sip_connection WHERE worker_id = @worker_id ORDER BY id LIMIT 20000;

-- name: SIPConnectionListByID :many
SELECT sqlc.embed(sip_connection), phone_number.number FROM sip_connection
JOIN phone_number ON phone_number.id = sip_connection.phone_number_id
WHERE sip_connection.id = ANY (@ids::uuid[]);

-- What has failed for a day is stopped: nobody keeps it registered any more.
-- name: SIPConnectionReport :one
UPDATE sip_connection SET
    status = CASE WHEN @status::text = 'failed' AND failing_since < now() - interval '24 hours' THEN 'stopped' ELSE @status::text END,
    worker_id = CASE WHEN @status::text = 'failed' AND failing_since < now() - interval '24 hours' THEN NULL ELSE worker_id END,
    failing_since = CASE WHEN @status::text = 'failed' THEN coalesce(failing_since, now()) END,
    last_error = sqlc.narg('last_error'), sip_code = sqlc.narg('sip_code'),
    registered_until = sqlc.narg('registered_until'), done = @done, updated_at = now()
WHERE id = @id AND worker_id = @worker_id::text AND wanted = @done
RETURNING *;

-- The proxy registered the number and somebody else has it.
-- name: SIPConnectionSetTaken :exec
UPDATE sip_connection SET status = 'failed', last_error = @last_error, registered_until = NULL, updated_at = now()
WHERE account_id = @account_id AND id = @id;

-- name: SIPConnectionListProxies :many
SELECT sip_proxy FROM sip_connection WHERE account_id = @account_id;

-- name: SIPConnectionDeleteOfNumber :many
DELETE FROM sip_connection WHERE phone_number_id = @phone_number_id RETURNING *;

-- How calls from the numbers leave: over the connection of the number, if it has one (else its id is the zero one), and not at all if
-- the number was given back, or went with its connection.
-- name: SIPConnectionListRoutes :many
SELECT phone_number.id AS phone_number_id, (phone_number.status IN ('releasing', 'released'))::boolean AS gone,
    coalesce(sip_connection.id, '00000000-0000-0000-0000-000000000000')::uuid AS id, coalesce(sip_connection.simulated, false)::boolean AS simulated,
    coalesce(sip_connection.sip_username, '')::text AS sip_username, coalesce(sip_connection.sip_password, '')::text AS sip_password,
    coalesce(sip_connection.sip_proxy, '')::text AS sip_proxy, coalesce(sip_connection.transfer, '')::text AS transfer
FROM phone_number LEFT JOIN sip_connection ON sip_connection.phone_number_id = phone_number.id
WHERE phone_number.id = ANY (@phone_number_ids::uuid[]);

-- name: SIPConnectionSetTransfer :execrows
UPDATE sip_connection SET transfer = @transfer WHERE account_id = @account_id AND id = @id;
