-- What calls cost: the prices of what they use, what each of them used, and what accounts spent in a month. Money is in micro-cents,
-- millionths of a cent of a US dollar, and always an integer.

-- +goose Up

-- A price holds from valid_from until the next one of the same thing. provider '' is every one that has no price of its own. model is the
-- model; of telephony and texts the first digits of numbers, the longest of which wins. '' is all that has no price of its own.
CREATE TABLE price (
    kind text NOT NULL CHECK (kind IN ('prompt_tokens', 'cached_tokens', 'completion_tokens', 'embedding_tokens', 'characters',
        'transcriber_minutes', 'outbound_minutes', 'inbound_minutes', 'sms', 'mail')),
    provider text NOT NULL,
    model text NOT NULL,
    valid_from timestamptz NOT NULL,
    amount bigint NOT NULL CHECK (amount BETWEEN 0 AND 100000000000000),
    PRIMARY KEY (kind, provider, model, valid_from)
);

-- What runs on our own machines, or in the customer's contract, costs nothing until somebody says so.
INSERT INTO price (kind, provider, model, valid_from, amount)
SELECT kind, provider, '', 'epoch', 0
FROM (VALUES ('prompt_tokens', 'scripted'), ('completion_tokens', 'scripted'), ('characters', 'flite'), ('characters', 'espeak'),
    ('transcriber_minutes', 'captions'), ('outbound_minutes', 'simulated'), ('inbound_minutes', 'simulated'),
    ('outbound_minutes', 'sip-connection'), ('inbound_minutes', 'sip-connection'), ('sms', 'log'), ('mail', '')) AS free (kind, provider);

-- For how many units an amount is: a million tokens or characters, a minute of milliseconds, a message.
CREATE FUNCTION price_unit(kind text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN kind LIKE '%\_tokens' OR kind = 'characters' THEN 1000000 WHEN kind LIKE '%\_minutes' THEN 60000 ELSE 1 END;

-- Adds to items what they cost by the prices at an instant, and the price: items without one cost nothing and have none. Each item is
-- rounded by itself, half a micro-cent up, and nothing is rounded after that. None costs more than ten million dollars, whatever a server
-- says that it used, so that sums stay within their type. Tokens that the model had cached cost as others
-- where they have no price.
-- +goose StatementBegin
CREATE FUNCTION price_items(items jsonb, caller text, called text, at timestamptz) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT coalesce(jsonb_agg(one.item || CASE WHEN known.amount IS NULL THEN '{"cost": 0}'::jsonb ELSE jsonb_build_object(
        'price', known.amount, 'priceOf', known.model,
        'cost', least(div((one.item ->> 'quantity')::numeric * known.amount + price_unit(one.item ->> 'kind') / 2, price_unit(one.item ->> 'kind')), 1e15)::bigint
    ) END ORDER BY one.position), '[]')
    FROM jsonb_array_elements(items) WITH ORDINALITY AS one (item, position)
    LEFT JOIN LATERAL (
        SELECT price.amount, price.model FROM price
        WHERE price.kind = ANY (CASE one.item ->> 'kind' WHEN 'cached_tokens' THEN '{cached_tokens,prompt_tokens}' ELSE ARRAY[one.item ->> 'kind'] END)
            AND price.provider = ANY (ARRAY[one.item ->> 'provider', ''])
            AND price.model = ANY (CASE
                WHEN one.item ->> 'kind' = 'inbound_minutes' THEN (SELECT array_agg(left(ltrim(called, '+'), digits)) FROM generate_series(0, 15) AS digits)
                WHEN one.item ->> 'kind' IN ('outbound_minutes', 'sms') THEN (SELECT array_agg(left(ltrim(caller, '+'), digits)) FROM generate_series(0, 15) AS digits)
                ELSE ARRAY[coalesce(one.item ->> 'model', ''), ''] END)
            AND price.valid_from <= at
        ORDER BY price.kind = one.item ->> 'kind' DESC, length(price.model) DESC, price.provider DESC, price.valid_from DESC LIMIT 1
    ) AS known ON true
$$;
-- +goose StatementEnd

-- What an ended call used, beside its row, which is removed sooner: who pays is asked later than what was said. at is when it was
-- answered, or else when it ended; its costs are those of that month, by the prices of that instant. items is what it used, each with
-- its quantity, price and cost; cost and the quantities are their sums. unpriced: a price was missing.
-- It names no person. It refers to no call, assistant or number, which may go.
CREATE TABLE call_usage (
    call_id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    at timestamptz NOT NULL,
    assistant_id uuid,
    assistant_name text NOT NULL,
    phone_number text NOT NULL,
    direction text NOT NULL,
    simulated boolean NOT NULL,
    unpriced boolean NOT NULL,
    cost bigint NOT NULL,
    call_ms bigint NOT NULL,
    transcriber_ms bigint NOT NULL,
    prompt_tokens bigint NOT NULL,
    cached_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    embedding_tokens bigint NOT NULL,
    characters bigint NOT NULL,
    sms bigint NOT NULL,
    mail bigint NOT NULL,
    items jsonb NOT NULL
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
CREATE INDEX call_usage_account_idx ON call_usage (account_id, at);
CREATE INDEX call_usage_unpriced_idx ON call_usage (at) WHERE unpriced;

-- What the calls of an account cost in a month of its time zone: the sum of its call_usage. reached is the threshold of the budget, in
-- percent, of which an event was written last; it moves up only, until the budget is another.
CREATE TABLE monthly_spending (
    account_id uuid NOT NULL REFERENCES account (id),
    month text NOT NULL, -- such as 2026-11
    cost bigint NOT NULL,
    reached integer NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, month)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

CREATE FUNCTION month_of(instant timestamptz, zone text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN to_char(instant AT TIME ZONE zone, 'YYYY-MM');

-- Whether an account has spent its budget of the month.
CREATE FUNCTION budget_exhausted(account uuid, budget bigint, zone text) RETURNS boolean LANGUAGE sql STABLE
RETURN CASE WHEN budget IS NULL THEN false ELSE budget <= coalesce((
    SELECT spent.cost FROM monthly_spending AS spent WHERE spent.account_id = account AND spent.month = month_of(now(), zone)), 0) END;
