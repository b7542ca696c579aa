-- scheduled -> processed (in the transaction that makes its call, or by PUT) | canceled (by DELETE).
-- processed -> scheduled while no call was placed, and for the next attempt of its retry plan when its call has ended.
-- call_id is the latest attempt, attempt counts them, followed_call_id is the last one whose end was acted upon.
-- The row is the truth; the job that starts it only wakes somebody.

-- What scheduled calls would be, one row for each that can be made, by its position among those that are asked for. The assistant and the
-- contact are locked against their deletion, in one order.
-- name: ScheduledCallPrepareMany :many
WITH asked AS MATERIALIZED (
    SELECT unnest(@positions::integer[]) AS position, unnest(@account_ids::uuid[]) AS account_id, unnest(@assistant_ids::uuid[]) AS assistant_id,
        unnest(@contact_ids::uuid[]) AS contact_id
)
SELECT asked.position::integer AS position, assistant.name AS assistant_name, contact.full_name AS contact_name,
    contact.phone_number AS contact_phone_number, coalesce(phone_number.number, '') AS origin
FROM asked
JOIN assistant ON assistant.account_id = asked.account_id AND assistant.id = asked.assistant_id AND assistant.deleted_at IS NULL
JOIN contact ON contact.account_id = asked.account_id AND contact.id = asked.contact_id AND contact.deleted_at IS NULL
LEFT JOIN phone_number_link ON phone_number_link.account_id = assistant.account_id AND phone_number_link.assistant_id = assistant.id
LEFT JOIN phone_number ON phone_number.id = phone_number_link.phone_number_id
ORDER BY assistant.id, contact.id
FOR SHARE OF assistant, contact;

-- details: what may be left out, by the names of its columns.
-- name: ScheduledCallInsertMany :many
INSERT INTO scheduled_call (id, account_id, assistant_id, contact_id, scheduled_time, simulated, instruction, variables, retry, "window")
SELECT asked.id, asked.account_id, asked.assistant_id, asked.contact_id, asked.scheduled_time, asked.simulated,
    asked.details ->> 'instruction', asked.details -> 'variables', nullif(asked.details -> 'retry', 'null'), nullif(asked.details -> 'window', 'null')
FROM (
    SELECT unnest(@ids::uuid[]) AS id, unnest(@account_ids::uuid[]) AS account_id, unnest(@assistant_ids::uuid[]) AS assistant_id,
        unnest(@contact_ids::uuid[]) AS contact_id, unnest(@scheduled_times::timestamptz[]) AS scheduled_time,
        unnest(@simulated::boolean[]) AS simulated, unnest(@details::jsonb[]) AS details
) AS asked
RETURNING *;

-- When scheduled calls are due, by the database's clock, the one that every worker shares.
-- name: ScheduledCallListTimes :many
SELECT id, account_id, scheduled_time, now()::timestamptz AS now
FROM scheduled_call WHERE id = ANY (@ids::uuid[]) AND status = 'scheduled';

-- The order keeps two workers from waiting for each other. The time is that of the statement: the transaction may have
-- waited for the locks of accounts.
-- name: ScheduledCallLockMany :many
SELECT sqlc.embed(scheduled_call), statement_timestamp()::timestamptz AS now
FROM scheduled_call WHERE id = ANY (@ids::uuid[]) AND status = 'scheduled'
ORDER BY id FOR UPDATE;

-- name: ScheduledCallSetPlacedMany :exec
UPDATE scheduled_call SET status = 'processed', call_id = placed.call_id, explanation = NULL, attempt = attempt + 1, updated_at = now()
FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@call_ids::uuid[]) AS call_id) AS placed
WHERE scheduled_call.id = placed.id;

-- name: ScheduledCallSetNotPlaced :exec
UPDATE scheduled_call SET status = 'processed', explanation = unplaced.explanation, updated_at = now()
FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@explanations::text[]) AS explanation) AS unplaced
WHERE scheduled_call.id = unplaced.id;

-- Why scheduled calls made no call, where that was not for their destination: gone is their assistant or their contact, or else the
-- assistant has no number.
-- name: ScheduledCallListObstacles :many
SELECT sqlc.embed(scheduled_call), assistant.name AS assistant_name, (assistant.deleted_at IS NOT NULL)::boolean AS assistant_deleted,
    (contact.deleted_at IS NOT NULL)::boolean AS contact_deleted
FROM scheduled_call
JOIN assistant ON assistant.account_id = scheduled_call.account_id AND assistant.id = scheduled_call.assistant_id
JOIN contact ON contact.account_id = scheduled_call.account_id AND contact.id = scheduled_call.contact_id
WHERE scheduled_call.id = ANY (@ids::uuid[])
ORDER BY scheduled_call.id;

-- Whom scheduled calls are to reach, and from which number; those whose contacts are gone are missing.
-- name: ScheduledCallListDestinations :many
SELECT scheduled_call.id, scheduled_call.account_id, scheduled_call.simulated, contact.phone_number AS target, coalesce(phone_number.number, '') AS origin
FROM scheduled_call
JOIN contact ON contact.account_id = scheduled_call.account_id AND contact.id = scheduled_call.contact_id AND contact.deleted_at IS NULL
LEFT JOIN phone_number_link ON phone_number_link.account_id = scheduled_call.account_id AND phone_number_link.assistant_id = scheduled_call.assistant_id
LEFT JOIN phone_number ON phone_number.id = phone_number_link.phone_number_id
WHERE scheduled_call.id = ANY (@ids::uuid[]);

-- Acts once upon the end of each call that the retry plan covers: the next attempt is scheduled, if one is left. A call whose worker died or
-- stopped may have rung, or was talked on: that is an outcome of its own, and does not count as failed.
-- name: ScheduledCallFollow :many
UPDATE scheduled_call SET
    status = CASE WHEN plan.again THEN 'scheduled' ELSE scheduled_call.status END,
    scheduled_time = CASE WHEN plan.again THEN plan.ended_at + make_interval(secs => plan.delay_seconds) ELSE scheduled_call.scheduled_time END,
    explanation = format('Attempt %s of %s ended as %s; %s.', scheduled_call.attempt, plan.max_attempts, plan.outcome,
        CASE WHEN plan.again THEN 'the next one follows' ELSE 'there is no other' END),
    followed_call_id = plan.call_id, updated_at = now()
FROM (
    SELECT one.id, call.id AS call_id, ending.outcome, call.ended_at, (one.retry ->> 'max_attempts')::integer AS max_attempts,
        (one.retry ->> 'delay_seconds')::double precision AS delay_seconds, one.attempt < (one.retry ->> 'max_attempts')::integer AS again
    FROM call
    JOIN scheduled_call AS one ON one.account_id = call.account_id AND one.id = call.scheduled_call_id AND one.call_id = call.id
    CROSS JOIN LATERAL (SELECT CASE WHEN call.ended_reason IN ('worker-lost', 'worker-shutdown') THEN 'worker-lost' ELSE call.status END AS outcome) AS ending
    WHERE call.id = ANY (@call_ids::uuid[]) AND call.ended_at IS NOT NULL AND one.retry -> 'on' @> to_jsonb(ending.outcome)
    ORDER BY one.id FOR NO KEY UPDATE OF one
) AS plan
WHERE scheduled_call.id = plan.id AND scheduled_call.status = 'processed' AND scheduled_call.followed_call_id IS DISTINCT FROM plan.call_id
RETURNING scheduled_call.*;

-- name: ScheduledCallSetExplanation :exec
UPDATE scheduled_call SET explanation = @explanation, updated_at = now() WHERE id = @id;

-- Every response about a scheduled call names its assistant and its contact, so they are read with it.
-- name: ScheduledCallGet :one
SELECT sqlc.embed(scheduled_call), assistant.name AS assistant_name, contact.full_name AS contact_name, contact.phone_number AS contact_phone_number
FROM scheduled_call
JOIN assistant ON assistant.account_id = scheduled_call.account_id AND assistant.id = scheduled_call.assistant_id
JOIN contact ON contact.account_id = scheduled_call.account_id AND contact.id = scheduled_call.contact_id
WHERE scheduled_call.account_id = @account_id AND scheduled_call.id = @id AND scheduled_call.status <> 'canceled';

-- name: ScheduledCallGetForUpdate :one
SELECT * FROM scheduled_call
WHERE account_id = @account_id AND id = @id AND status <> 'canceled' FOR UPDATE;

-- Newest first, those before the id given; of several statuses the newest of each are merged.
-- name: ScheduledCallList :many
SELECT sqlc.embed(scheduled_call), assistant.name AS assistant_name, contact.full_name AS contact_name, contact.phone_number AS contact_phone_number
FROM (
    SELECT newest.id FROM unnest(@statuses::text[]) AS one (status) CROSS JOIN LATERAL (
        SELECT s.id FROM scheduled_call AS s
        WHERE s.account_id = @account_id AND s.status = one.status AND s.status <> 'canceled' AND s.id < @before
        ORDER BY s.id DESC LIMIT @reach::int
    ) AS newest
    ORDER BY newest.id DESC LIMIT @max::int OFFSET @skip::int
) AS page
JOIN scheduled_call ON scheduled_call.account_id = @account_id AND scheduled_call.id = page.id
JOIN assistant ON assistant.account_id = scheduled_call.account_id AND assistant.id = scheduled_call.assistant_id
JOIN contact ON contact.account_id = scheduled_call.account_id AND contact.id = scheduled_call.contact_id
ORDER BY scheduled_call.id DESC;

-- name: ScheduledCallListByAssistant :many
SELECT sqlc.embed(scheduled_call), assistant.name AS assistant_name, contact.full_name AS contact_name, contact.phone_number AS contact_phone_number
FROM (
    SELECT newest.id FROM unnest(@statuses::text[]) AS one (status) CROSS JOIN LATERAL (
        SELECT s.id FROM scheduled_call AS s
        WHERE s.account_id = @account_id AND s.assistant_id = @assistant_id AND s.status = one.status AND s.status <> 'canceled' AND s.id < @before
        ORDER BY s.id DESC LIMIT @reach::int
    ) AS newest
    ORDER BY newest.id DESC LIMIT @max::int OFFSET @skip::int
) AS page
JOIN scheduled_call ON scheduled_call.account_id = @account_id AND scheduled_call.id = page.id
JOIN assistant ON assistant.account_id = scheduled_call.account_id AND assistant.id = scheduled_call.assistant_id
JOIN contact ON contact.account_id = scheduled_call.account_id AND contact.id = scheduled_call.contact_id
ORDER BY scheduled_call.id DESC;

-- name: ScheduledCallListByContact :many
SELECT sqlc.embed(scheduled_call), assistant.name AS assistant_name, contact.full_name AS contact_name, contact.phone_number AS contact_phone_number
FROM (
    SELECT s.id FROM scheduled_call AS s
    WHERE s.account_id = @account_id AND s.contact_id = @contact_id AND s.status <> 'canceled' AND s.id < @before
        AND (sqlc.narg('assistant_id')::uuid IS NULL OR s.assistant_id = sqlc.narg('assistant_id')) AND s.status = ANY (@statuses::text[])
    ORDER BY s.id DESC LIMIT @max::int OFFSET @skip::int
) AS page
JOIN scheduled_call ON scheduled_call.account_id = @account_id AND scheduled_call.id = page.id
JOIN assistant ON assistant.account_id = scheduled_call.account_id AND assistant.id = scheduled_call.assistant_id
JOIN contact ON contact.account_id = scheduled_call.account_id AND contact.id = scheduled_call.contact_id
ORDER BY scheduled_call.id DESC;

-- name: ScheduledCallCount :one
SELECT (
    coalesce((
        SELECT sum(n) FROM list_count AS counted
        WHERE counted.account_id = @account_id AND counted.list = 'scheduled_call' AND part = coalesce(sqlc.narg('assistant_id')::uuid::text, '')
            AND status = ANY (@statuses::text[])
    ), 0) + coalesce((
        SELECT sum(n) FROM list_count_delta AS delta
        WHERE delta.account_id = @account_id AND delta.list = 'scheduled_call' AND (sqlc.narg('assistant_id')::uuid IS NULL OR part = sqlc.narg('assistant_id')::uuid::text)
            AND status = ANY (@statuses::text[])
    ), 0)
)::bigint AS total;

-- The scheduled calls to one person are few enough to count.
-- name: ScheduledCallCountByContact :one
SELECT count(*) FROM scheduled_call
WHERE account_id = @account_id AND contact_id = @contact_id AND status <> 'canceled'
    AND (sqlc.narg('assistant_id')::uuid IS NULL OR assistant_id = sqlc.narg('assistant_id')) AND status = ANY (@statuses::text[]);

-- The row was read FOR UPDATE before, so the rules of its state hold.
-- name: ScheduledCallUpdate :one
UPDATE scheduled_call SET
    scheduled_time = @scheduled_time, instruction = sqlc.narg('instruction'), variables = @variables, retry = sqlc.narg('retry'),
    "window" = sqlc.narg('window'), status = @status, explanation = NULL,
    followed_call_id = CASE WHEN @stop::boolean THEN call_id ELSE followed_call_id END, updated_at = now()
WHERE account_id = @account_id AND id = @id
RETURNING *;

-- name: ScheduledCallCancel :one
UPDATE scheduled_call SET status = 'canceled', updated_at = now()
WHERE account_id = @account_id AND id = @id AND status = 'scheduled'
RETURNING *;

-- name: ScheduledCallCancelForContact :exec
UPDATE scheduled_call SET status = 'canceled', updated_at = now()
WHERE account_id = @account_id AND contact_id = @contact_id AND status = 'scheduled';

-- name: ScheduledCallCancelForAssistant :exec
UPDATE scheduled_call SET status = 'canceled', updated_at = now()
WHERE account_id = @account_id AND assistant_id = @assistant_id AND status = 'scheduled';

-- Whether deleting the contact would cancel a real call.
-- name: ScheduledCallLiveOfContact :one
SELECT EXISTS (SELECT FROM scheduled_call WHERE account_id = @account_id AND contact_id = @contact_id AND status = 'scheduled' AND NOT simulated);
