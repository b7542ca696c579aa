-- name: AccountInsert :one
INSERT INTO account (id, email, name) VALUES (@id, @email, @name) RETURNING *;

-- name: AccountGet :one
SELECT * FROM account WHERE id = @id;

-- For the operator, who sees all accounts.
-- name: AccountList :many
SELECT * FROM account ORDER BY id;

-- name: AccountListByID :many
SELECT * FROM account WHERE id = ANY (@ids::uuid[]);

-- name: AccountGetByEmail :one
SELECT * FROM account WHERE email = @email;

-- For what an account may do only once at a time. Rows that refer to the account can still be written.
-- name: AccountLock :exec
SELECT FROM account WHERE id = @id FOR NO KEY UPDATE;

-- name: AccountSetSubscription :one
UPDATE account SET subscription_status = @subscription_status, updated_at = now() WHERE id = @id RETURNING *;

-- All keys of an account together make ten times the requests of the one that may make most.
-- name: AccountRaiseRate :exec
UPDATE account SET requests_per_minute = least(10 * @key_requests_per_minute::bigint, 2147483647)::integer
WHERE id = @id AND requests_per_minute < 10 * @key_requests_per_minute::bigint;

-- The places that accounts have for calls are counted and given under these locks, which whoever starts, ends or cancels
-- calls takes before anything else, in this order. Rows that refer to the accounts can still be written.
-- name: AccountLockMany :exec
SELECT FROM account WHERE id = ANY (@ids::uuid[]) ORDER BY id FOR NO KEY UPDATE;

-- Locks only accounts that have a place: who is refused because there is none holds nobody up and waits for nobody.
-- name: AccountLockWithPlace :many
SELECT account.id FROM account
WHERE account.id = ANY (@ids::uuid[]) AND account.max_concurrent_calls > (
    SELECT count(*) FROM call WHERE call.account_id = account.id AND call.stage = 'live'
        AND call.claimed >= (SELECT asked.live_from FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@live_from::bigint[]) AS live_from) AS asked
            WHERE asked.id = account.id))
ORDER BY account.id FOR NO KEY UPDATE OF account;

-- name: AccountLockOfCalls :exec
SELECT FROM account WHERE id IN (SELECT call.account_id FROM call WHERE call.id = ANY (@call_ids::uuid[]))
ORDER BY id FOR NO KEY UPDATE;

-- Must follow one of the locks as a statement of its own: only then does its snapshot contain what others gave and took. It looks for live
-- calls from live_from and for queued ones from queued_from, and returns where the next look may begin: a second back in the queue,
-- since calls come into it a little out of the order of their ids.
-- name: AccountListLoads :many
SELECT account.id, account.max_concurrent_calls, account.reserved_inbound_calls, account.max_daily_minutes,
    budget_exhausted(account.id, account.monthly_budget, account.time_zone) AS budget_exhausted,
    coalesce((SELECT spent.n FROM daily_spending AS spent
        WHERE spent.account_id = account.id AND spent.day = utc_day(now()) AND spent.kind = 'call_seconds'), 0)::bigint AS call_seconds,
    live.inbound, live.outbound, live.reserved_seconds, live.first_live,
    EXISTS (SELECT FROM call WHERE call.account_id = account.id AND call.stage = 'queued' AND call.id >= asked.queued_from
        AND (call.not_before IS NULL OR call.not_before <= now())) AS waiting,
    least((SELECT call.id FROM call WHERE call.account_id = account.id AND call.stage = 'queued' AND call.id >= asked.queued_from
        ORDER BY call.id LIMIT 1), uuid_at(now() - interval '1 second'))::uuid AS first_queued
FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@live_from::bigint[]) AS live_from, unnest(@queued_from::uuid[]) AS queued_from) AS asked
JOIN account ON account.id = asked.id CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE call.direction = 'inbound')::integer AS inbound, count(*) FILTER (WHERE call.direction = 'outbound')::integer AS outbound,
        coalesce(sum(call.reserved_seconds), 0)::bigint AS reserved_seconds,
        coalesce(min(call.claimed), pg_sequence_last_value('call_claim'::regclass), 0)::bigint AS first_live
    FROM call WHERE call.account_id = account.id AND call.stage = 'live'
        AND call.claimed >= asked.live_from
) AS live
ORDER BY account.id;

-- What is not given stays as it is; set_allowed_countries with NULL brings the default back, the other set_* take a limit away.
-- Days of -1 are those of the deployment again.
-- name: AccountSetLimits :one
UPDATE account SET
    max_concurrent_calls = coalesce(sqlc.narg('max_concurrent_calls'), max_concurrent_calls),
    reserved_inbound_calls = coalesce(sqlc.narg('reserved_inbound_calls'), reserved_inbound_calls),
    max_knowledge_documents = coalesce(sqlc.narg('max_knowledge_documents'), max_knowledge_documents),
    allowed_countries = CASE WHEN @set_allowed_countries::boolean THEN sqlc.narg('allowed_countries')::text[] ELSE allowed_countries END,
    max_calls_per_number = CASE WHEN @set_max_calls_per_number::boolean THEN sqlc.narg('max_calls_per_number') ELSE max_calls_per_number END,
    max_daily_minutes = CASE WHEN @set_max_daily_minutes::boolean THEN sqlc.narg('max_daily_minutes') ELSE max_daily_minutes END,
    max_daily_texts = CASE WHEN @set_max_daily_texts::boolean THEN sqlc.narg('max_daily_texts') ELSE max_daily_texts END,
    keep_transcripts = nullif(coalesce(sqlc.narg('keep_transcripts')::integer, keep_transcripts), -1),
    keep_recordings = nullif(coalesce(sqlc.narg('keep_recordings')::integer, keep_recordings), -1),
    keep_events = nullif(coalesce(sqlc.narg('keep_events')::integer, keep_events), -1),
    keep_calls = nullif(coalesce(sqlc.narg('keep_calls')::integer, keep_calls), -1),
    updated_at = now()
WHERE id = @id RETURNING *;

-- Accounts with calls that are queued for longer than it takes to start one.
-- name: AccountListLongWaiting :many
SELECT DISTINCT account_id FROM call WHERE stage = 'queued' AND updated_at < now() - interval '5 seconds';

-- name: AccountGetUse :one
SELECT account.max_concurrent_calls, account.reserved_inbound_calls, account.credits, account.max_knowledge_documents,
    account.allowed_countries, account.max_calls_per_number, account.max_daily_minutes, account.max_daily_texts,
    account.keep_transcripts, account.keep_recordings, account.keep_events, account.keep_calls,
    (SELECT coalesce(sum(call.reserved_seconds), 0) FROM call
        WHERE call.account_id = account.id AND call.stage = 'live')::bigint AS reserved_seconds,
    (SELECT count(*) FROM knowledge_document WHERE knowledge_document.account_id = account.id) AS knowledge_documents,
    (SELECT count(*) FROM call WHERE call.account_id = account.id AND call.stage = 'live') AS used,
    (SELECT count(*) FROM call WHERE call.account_id = account.id AND call.stage = 'queued'
        AND (call.not_before IS NULL OR call.not_before <= now())) AS waiting
FROM account WHERE account.id = @id;

-- name: AccountUpdate :one
UPDATE account SET
    name = coalesce(sqlc.narg('name'), name),
    company_name = CASE WHEN @set_company_name::boolean THEN sqlc.narg('company_name') ELSE company_name END,
    phone_number = CASE WHEN @set_phone_number::boolean THEN sqlc.narg('phone_number') ELSE phone_number END,
    updated_at = now()
WHERE id = @id
RETURNING *;

-- What keeps an account from being deleted: calls that are not over, and numbers that the carrier still has in its name.
-- name: AccountGetUndeletable :one
SELECT (SELECT count(*) FROM call WHERE call.account_id = @id AND call.stage IN ('queued', 'live')) AS live_calls,
    (SELECT count(*) FROM phone_number WHERE phone_number.account_id = @id AND phone_number.carrier_number_id IS NOT NULL
        AND phone_number.status <> 'released') AS bought_numbers,
    (SELECT count(*) FROM phone_number_order WHERE phone_number_order.account_id = @id AND phone_number_order.status = 'pending') AS pending_orders;

-- name: AccountIsDeleted :one
SELECT EXISTS (SELECT FROM deleted_account WHERE id = @id);
