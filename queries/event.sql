-- An event is written in the transaction of its fact without a number, and is numbered right after commit: the counter
-- row's lock lets one sequencer per account work at a time, and no writer of facts ever waits for it.
-- delivery: none (nobody subscribed), pending -> delivered | dead; dead -> pending by redelivery.

-- name: EventInsert :exec
INSERT INTO event (id, account_id, type, call_id, payload, delivery)
VALUES (@id, @account_id, @type, sqlc.narg('call_id'), @payload, @delivery);

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

-- Subscribers are chosen when an event is written: the assistant's own server, else the account's webhook.
-- name: WebhookEndpointForCall :one
SELECT * FROM webhook_endpoint
WHERE account_id = @account_id AND (assistant_id = sqlc.narg('assistant_id') OR assistant_id IS NULL) AND url IS NOT NULL
ORDER BY assistant_id NULLS LAST LIMIT 1;
