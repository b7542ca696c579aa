-- Adds what calls used, at the prices of the instants at which they were answered, to what is known of them and to the months of their
-- accounts. With ended comes for how long they were connected, and with legs for how long their second legs were, each at the price of the
-- number that it went to. It returns a row for each call: the month with its costs, 0 where it did
-- not change; which prices are missing; and whether a command to the call is still pending or
-- somebody listens in.
-- name: CallUsageAddMany :many
WITH asked AS MATERIALIZED (
    SELECT unnest(@call_ids::uuid[]) AS call_id, unnest(@items::jsonb[]) AS items, unnest(@ended::boolean[]) AS ended, unnest(@legs::boolean[]) AS legs
), priced AS MATERIALIZED (
    SELECT call.id, call.account_id, coalesce(call.started_at, call.ended_at, now()) AS at, call.assistant_id, call.assistant_name, call.phone_number,
        call.direction, call.simulated, price_items(CASE WHEN asked.ended AND call.started_at IS NOT NULL THEN jsonb_build_array(jsonb_build_object(
            'type', 'transport', 'kind', call.direction || '_minutes', 'quantity', round(extract(epoch FROM call.ended_at - call.started_at) * 1000)::bigint,
            'provider', CASE WHEN call.channel = 'web' AND NOT call.simulated THEN 'web' ELSE carrier.name END
        )) ELSE '[]' END || asked.items, call.contact_phone_number, call.phone_number, coalesce(call.started_at, call.ended_at, now()))
        || CASE WHEN asked.legs THEN coalesce((
            SELECT jsonb_agg(price_items(jsonb_build_array(jsonb_build_object('type', 'transport', 'part', 'transfer', 'kind', 'outbound_minutes', 'provider', carrier.name,
                'quantity', round(extract(epoch FROM leg.ended_at - leg.started_at) * 1000)::bigint)), leg.destination, '', coalesce(call.started_at, call.ended_at, now())) -> 0 ORDER BY leg.id)
            FROM call_leg AS leg WHERE leg.account_id = call.account_id AND leg.call_id = call.id AND leg.started_at IS NOT NULL AND leg.ended_at IS NOT NULL
        ), '[]') ELSE '[]' END AS items
    FROM asked JOIN call ON call.id = asked.call_id
    CROSS JOIN LATERAL (SELECT CASE WHEN call.simulated THEN 'simulated'
        WHEN EXISTS (SELECT FROM sip_connection WHERE sip_connection.phone_number_id = call.phone_number_id) THEN 'sip-connection' ELSE 'trunk' END AS name) AS carrier
), used AS MATERIALIZED (
    SELECT priced.id, priced.account_id, priced.at, priced.assistant_id, priced.assistant_name, priced.phone_number, priced.direction, priced.simulated, priced.items, sums.cost, sums.missing, sums.call_ms, sums.leg_ms, sums.transcriber_ms, sums.prompt_tokens,
        sums.cached_tokens, sums.completion_tokens, sums.embedding_tokens, sums.characters, sums.sms, sums.mail
    FROM priced CROSS JOIN LATERAL (
        SELECT coalesce(sum(item.cost), 0)::bigint AS cost,
            coalesce(array_agg(item.kind || ' ' || item.provider) FILTER (WHERE item.price IS NULL), '{}') AS missing,
            coalesce(sum(item.quantity) FILTER (WHERE item.type = 'transport' AND item.part IS NULL), 0)::bigint AS call_ms,
            coalesce(sum(item.quantity) FILTER (WHERE item.type = 'transport' AND item.part = 'transfer'), 0)::bigint AS leg_ms,
            coalesce(sum(item.quantity) FILTER (WHERE item.kind = 'transcriber_minutes'), 0)::bigint AS transcriber_ms,
            coalesce(sum(item.quantity) FILTER (WHERE item.kind IN ('prompt_tokens', 'cached_tokens')), 0)::bigint AS prompt_tokens,
            coalesce(sum(item.quantity) FILTER (WHERE item.kind = 'cached_tokens'), 0)::bigint AS cached_tokens,
            coalesce(sum(item.quantity) FILTER (WHERE item.kind = 'completion_tokens'), 0)::bigint AS completion_tokens,
            coalesce(sum(item.quantity) FILTER (WHERE item.kind = 'embedding_tokens'), 0)::bigint AS embedding_tokens,
            coalesce(sum(item.quantity) FILTER (WHERE item.kind = 'characters'), 0)::bigint AS characters,
            coalesce(sum(item.quantity) FILTER (WHERE item.kind = 'sms'), 0)::bigint AS sms,
            coalesce(sum(item.quantity) FILTER (WHERE item.kind = 'mail'), 0)::bigint AS mail
        FROM jsonb_to_recordset(priced.items) AS item (type text, part text, kind text, provider text, quantity bigint, price bigint, cost bigint)
    ) AS sums
    WHERE priced.items <> '[]'
), written AS (
    INSERT INTO call_usage AS before (call_id, account_id, at, assistant_id, assistant_name, phone_number, direction, simulated, unpriced, cost, call_ms, leg_ms,
        transcriber_ms, prompt_tokens, cached_tokens, completion_tokens, embedding_tokens, characters, sms, mail, items)
    SELECT used.id, used.account_id, used.at, used.assistant_id, used.assistant_name, used.phone_number, used.direction, used.simulated, used.missing <> '{}', used.cost, used.call_ms, used.leg_ms,
        used.transcriber_ms, used.prompt_tokens, used.cached_tokens, used.completion_tokens, used.embedding_tokens, used.characters, used.sms, used.mail, used.items
    FROM used ORDER BY used.id
    ON CONFLICT (call_id) DO UPDATE SET unpriced = before.unpriced OR excluded.unpriced, cost = before.cost + excluded.cost, call_ms = before.call_ms + excluded.call_ms, leg_ms = before.leg_ms + excluded.leg_ms,
        transcriber_ms = before.transcriber_ms + excluded.transcriber_ms, prompt_tokens = before.prompt_tokens + excluded.prompt_tokens,
        cached_tokens = before.cached_tokens + excluded.cached_tokens, completion_tokens = before.completion_tokens + excluded.completion_tokens,
        embedding_tokens = before.embedding_tokens + excluded.embedding_tokens, characters = before.characters + excluded.characters,
        sms = before.sms + excluded.sms, mail = before.mail + excluded.mail, items = excluded.items || before.items
), months AS (
    INSERT INTO monthly_spending AS spent (account_id, month, cost)
    SELECT used.account_id, month_of(used.at, account.time_zone), sum(used.cost)
    FROM used JOIN account ON account.id = used.account_id
    GROUP BY used.account_id, month_of(used.at, account.time_zone) HAVING sum(used.cost) > 0
    ORDER BY used.account_id, month_of(used.at, account.time_zone)
    ON CONFLICT (account_id, month) DO UPDATE SET cost = spent.cost + excluded.cost
    RETURNING spent.account_id, spent.month, spent.cost, spent.reached
)
SELECT asked.call_id::uuid AS call_id, coalesce(used.missing, '{}')::text[] AS missing,
    (EXISTS (SELECT FROM call_command WHERE call_command.call_id = asked.call_id AND call_command.status = 'pending')
        OR EXISTS (SELECT FROM call_listener WHERE call_listener.call_id = asked.call_id AND call_listener.ended_at IS NULL))::boolean AS pending_command,
    coalesce(account.id, '00000000-0000-0000-0000-000000000000')::uuid AS account_id, account.monthly_budget, coalesce(account.time_zone, '')::text AS time_zone,
    coalesce(months.month, '')::text AS month, coalesce(months.cost, 0)::bigint AS month_cost, coalesce(months.reached, 0)::integer AS month_reached
FROM asked LEFT JOIN used ON used.id = asked.call_id LEFT JOIN account ON account.id = used.account_id
LEFT JOIN months ON months.account_id = used.account_id AND months.month = month_of(used.at, account.time_zone);

-- name: CallUsageListByCall :many
SELECT call_id, cost, items FROM call_usage WHERE account_id = @account_id AND call_id = ANY (@call_ids::uuid[]);

-- What the calls of an account used and cost from one instant to another, by day in a time zone, by assistant, with one of its names, or by
-- number. Without OFFSET 0 Postgres takes the days for as many as the calls, and sorts these on disk instead of adding them up by a hash table.
-- name: CallUsageSum :many
SELECT used.key::text AS key, coalesce(max(used.assistant_name) FILTER (WHERE @group_by::text = 'assistant'), '')::text AS assistant_name,
    count(*) AS calls, count(*) FILTER (WHERE used.unpriced) AS unpriced_calls, sum(used.cost)::bigint AS cost,
    (coalesce(sum(used.call_ms) FILTER (WHERE used.direction = 'outbound'), 0) + sum(used.leg_ms))::bigint AS outbound_ms,
    coalesce(sum(used.call_ms) FILTER (WHERE used.direction = 'inbound'), 0)::bigint AS inbound_ms,
    sum(used.transcriber_ms)::bigint AS transcriber_ms, sum(used.prompt_tokens)::bigint AS prompt_tokens, sum(used.cached_tokens)::bigint AS cached_tokens,
    sum(used.completion_tokens)::bigint AS completion_tokens, sum(used.embedding_tokens)::bigint AS embedding_tokens, sum(used.characters)::bigint AS characters,
    sum(used.sms)::bigint AS sms, sum(used.mail)::bigint AS mail
FROM (
    SELECT CASE @group_by::text WHEN 'day' THEN to_char(usage.at AT TIME ZONE @time_zone::text, 'YYYY-MM-DD')
            WHEN 'assistant' THEN coalesce(usage.assistant_id::text, '') ELSE usage.phone_number END AS key,
        usage.assistant_name, usage.unpriced, usage.cost, usage.direction, usage.call_ms, usage.leg_ms, usage.transcriber_ms, usage.prompt_tokens,
        usage.cached_tokens, usage.completion_tokens, usage.embedding_tokens, usage.characters, usage.sms, usage.mail
    FROM call_usage AS usage WHERE usage.account_id = @account_id AND usage.at >= @since AND usage.at < @before OFFSET 0
) AS used
GROUP BY used.key ORDER BY used.key;

-- What an account spent in a month; no row: nothing.
-- name: MonthlySpendingGet :one
SELECT account.monthly_budget, account.time_zone, month_of(now(), account.time_zone)::text AS month, coalesce(spent.cost, 0)::bigint AS cost,
    coalesce(spent.reached, 0)::integer AS reached
FROM account LEFT JOIN monthly_spending AS spent ON spent.account_id = account.id AND spent.month = month_of(now(), account.time_zone)
WHERE account.id = @account_id;

-- Moves the threshold of which an event was written up, once: no row, somebody else did.
-- name: MonthlySpendingReach :execrows
UPDATE monthly_spending SET reached = @reached WHERE account_id = @account_id AND month = @month AND reached < @reached;

-- Sets the budget and the time zone. Thresholds of another budget are reached anew. It must follow a lock of the account, under which no
-- costs are added, as a statement of its own.
-- name: AccountSetBudget :exec
WITH anew AS (
    UPDATE monthly_spending SET reached = 0 FROM account
    WHERE account.id = @account_id AND monthly_spending.account_id = account.id AND monthly_spending.month = month_of(now(), @time_zone::text)
        AND account.monthly_budget IS DISTINCT FROM sqlc.narg('monthly_budget')::bigint
)
UPDATE account SET monthly_budget = sqlc.narg('monthly_budget')::bigint, time_zone = @time_zone::text, updated_at = now()
WHERE account.id = @account_id;
