-- An event is written in the transaction of its fact without a number, and is numbered right after commit: the counter
-- row's lock lets one sequencer per account work at a time, and no writer of facts ever waits for it.
-- delivery: none (nobody subscribed), pending -> delivered | dead; any -> pending by redelivery.

-- Its destination is the assistant's own server, else the account's webhook; pending when that one wants this type.
-- A call has one end-of-call-report: a second one writes nothing and answers no row.
-- name: EventInsertMany :many
INSERT INTO event (id, account_id, type, call_id, payload, delivery)
SELECT fact.id, fact.account_id, fact.type, fact.call_id, fact.payload, coalesce((
    SELECT CASE WHEN endpoint.enabled AND fact.type = ANY (endpoint.events) THEN 'pending' ELSE 'none' END
    FROM webhook_endpoint AS endpoint
    WHERE endpoint.account_id = fact.account_id AND endpoint.url IS NOT NULL
        AND (endpoint.assistant_id = fact.assistant_id OR endpoint.assistant_id IS NULL)
    ORDER BY endpoint.assistant_id NULLS LAST LIMIT 1
), 'none')
FROM (
    SELECT unnest(@ids::uuid[]) AS id, unnest(@account_ids::uuid[]) AS account_id, unnest(@types::text[]) AS type,
        unnest(@call_ids::uuid[]) AS call_id, unnest(@payloads::jsonb[]) AS payload, unnest(@assistant_ids::uuid[]) AS assistant_id
) AS fact
ON CONFLICT (call_id) WHERE type = 'end-of-call-report' DO NOTHING
RETURNING id, delivery;

-- name: EventCounterLock :exec
INSERT INTO event_counter (account_id) VALUES (@account_id)
ON CONFLICT (account_id) DO UPDATE SET last = event_counter.last;

-- Must follow EventCounterLock as a statement of its own, in the same transaction: only then does its snapshot contain
-- all that the sequencer before it numbered.
-- name: EventNumber :execrows
WITH waiting AS (
    SELECT event.position, row_number() OVER (ORDER BY event.position) AS step
    FROM event WHERE event.account_id = @account_id AND event.sequence IS NULL
), counter AS (
    UPDATE event_counter SET last = event_counter.last + (SELECT count(*) FROM waiting)
    WHERE event_counter.account_id = @account_id
    RETURNING event_counter.last - (SELECT count(*) FROM waiting) AS base
)
UPDATE event SET sequence = counter.base + waiting.step
FROM waiting, counter
WHERE event.position = waiting.position;

-- name: EventListUnnumberedAccounts :many
SELECT DISTINCT account_id FROM event WHERE sequence IS NULL LIMIT 1000;

-- name: EventGetForDelivery :one
SELECT event.id, event.account_id, event.sequence, event.type, event.payload, event.delivery, event.attempts, call.assistant_id
FROM event LEFT JOIN call ON call.account_id = event.account_id AND call.id = event.call_id
WHERE event.id = @id;

-- Logs one attempt and moves the event by it, together. verdict: pending (try again), delivered or dead.
-- name: EventRecordAttempt :exec
WITH moved AS (
    UPDATE event SET attempts = event.attempts + 1, delivery = @verdict
    WHERE event.id = @event_id AND event.delivery = 'pending'
    RETURNING event.account_id, event.attempts
)
INSERT INTO delivery_attempt (account_id, event_id, attempt, url, status_code, latency_ms, answer, error)
SELECT moved.account_id, @event_id, moved.attempts, @url::text, sqlc.narg('status_code')::integer, @latency_ms::integer, @answer::text,
    sqlc.narg('error')::text
FROM moved;

-- name: EventDropDelivery :exec
UPDATE event SET delivery = @verdict WHERE id = @id AND delivery = 'pending';

-- Numbered events after a cursor, in order.
-- name: EventList :many
SELECT id, sequence::bigint AS sequence, type, call_id, payload, delivery, attempts, created_at FROM event
WHERE account_id = @account_id AND sequence > @after
    AND (sqlc.narg('type')::text IS NULL OR type = sqlc.narg('type'))
    AND (sqlc.narg('call_id')::uuid IS NULL OR call_id = sqlc.narg('call_id'))
ORDER BY sequence
LIMIT @max::int;

-- name: EventGet :one
SELECT id, delivery FROM event WHERE account_id = @account_id AND id = @id AND sequence IS NOT NULL;

-- name: EventCount :one
SELECT count(*) FROM event
WHERE account_id = @account_id AND sequence > @after
    AND (sqlc.narg('type')::text IS NULL OR type = sqlc.narg('type'))
    AND (sqlc.narg('call_id')::uuid IS NULL OR call_id = sqlc.narg('call_id'));

-- name: DeliveryAttemptList :many
SELECT * FROM delivery_attempt WHERE account_id = @account_id AND event_id = @event_id
ORDER BY id DESC
LIMIT @max::int OFFSET @skip::int;

-- name: DeliveryAttemptCount :one
SELECT count(*) FROM delivery_attempt WHERE account_id = @account_id AND event_id = @event_id;
