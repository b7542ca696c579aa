-- What the rules of package jobs/spending need to know, and what they count. Days are in UTC.

-- The limits of the accounts that want to reach numbers. own: the number is the account's, or all accounts share it.
-- name: SpendingListLimits :many
SELECT asked.position::integer AS position, account.allowed_countries, account.max_calls_per_number, account.max_daily_minutes,
    coalesce((SELECT spent.n FROM daily_spending AS spent
        WHERE spent.account_id = account.id AND spent.day = utc_day(now()) AND spent.kind = 'call_seconds'), 0)::bigint AS call_seconds,
    budget_exhausted(account.id, account.monthly_budget, account.time_zone) AS budget_exhausted,
    EXISTS (SELECT FROM phone_number WHERE phone_number.number = asked.number AND phone_number.status <> 'released'
        AND (phone_number.account_id = asked.account_id OR phone_number.account_id IS NULL)) AS own
FROM (SELECT unnest(@positions::integer[]) AS position, unnest(@account_ids::uuid[]) AS account_id, unnest(@numbers::text[]) AS number) AS asked
JOIN account ON account.id = asked.account_id
ORDER BY asked.position;

-- The numbers whose countries an account may call: those that the operator shares, and those that it ordered. Not those of its SIP
-- connections, which it claims itself.
-- name: SpendingListNumbers :many
SELECT number FROM phone_number
WHERE status = 'active' AND (account_id IS NULL OR account_id = @account_id AND phone_number_order_id IS NOT NULL)
LIMIT 10000;

-- Counts one call to each of the numbers, which are different, in one order. No row: as many were called within the hour as may be.
-- name: DialedNumberAdd :many
INSERT INTO dialed_number AS dialed (account_id, phone_number, dialed_at)
SELECT asked.account_id, asked.number, ARRAY[now()]
FROM (SELECT unnest(@account_ids::uuid[]) AS account_id, unnest(@numbers::text[]) AS number) AS asked
ORDER BY asked.account_id, asked.number
ON CONFLICT (account_id, phone_number) DO UPDATE
SET dialed_at = ARRAY(SELECT earlier FROM unnest(dialed.dialed_at) AS earlier WHERE earlier > now() - interval '1 hour') || now()
WHERE (SELECT count(*) FROM unnest(dialed.dialed_at) AS earlier WHERE earlier > now() - interval '1 hour')
    < (SELECT account.max_calls_per_number FROM account WHERE account.id = dialed.account_id)
RETURNING account_id, phone_number;

-- name: DialedNumberDeleteExpired :execrows
DELETE FROM dialed_number WHERE now() - interval '1 hour' >= ALL (dialed_at);

-- Adds to what accounts used today, in one order.
-- name: DailySpendingAdd :exec
INSERT INTO daily_spending AS spent (account_id, day, kind, n)
SELECT used.account_id, utc_day(now()), used.kind, used.n
FROM (SELECT unnest(@account_ids::uuid[]) AS account_id, unnest(@kinds::text[]) AS kind, unnest(@amounts::bigint[]) AS n) AS used
ORDER BY used.account_id, used.kind
ON CONFLICT (account_id, day, kind) DO UPDATE SET n = spent.n + excluded.n;

-- How many texts an account may still send today, under a lock that lasts as long as the transaction.
-- name: DailySpendingLockTexts :one
INSERT INTO daily_spending AS spent (account_id, day, kind, n) VALUES (@account_id, utc_day(now()), 'texts', 0)
ON CONFLICT (account_id, day, kind) DO UPDATE SET n = spent.n
RETURNING coalesce((SELECT account.max_daily_texts FROM account WHERE account.id = spent.account_id) - spent.n, 1000000)::bigint AS remaining;

-- name: DailySpendingList :many
SELECT kind, n FROM daily_spending WHERE account_id = @account_id AND day = utc_day(now()) ORDER BY kind;

-- name: DailySpendingDeleteExpired :execrows
DELETE FROM daily_spending WHERE day < utc_day(now()) - 90;
