-- What a call used is written at its end and again after its analysis, and the second version found no room beside the first: it moved to
-- another page, with a new entry in each index. An item says what it cost, and by whose price, where that is anything.

-- +goose Up
ALTER TABLE call_usage SET (fillfactor = 45);

-- Adds to items what they cost by the prices at an instant, and the price: items without one cost nothing and have none. Each item is
-- rounded by itself, half a micro-cent up, and nothing is rounded after that. None costs more than ten million dollars, whatever a server
-- says that it used, so that sums stay within their type. Tokens that the model had cached cost as others
-- where they have no price.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION price_items(items jsonb, caller text, called text, at timestamptz) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT coalesce(jsonb_agg(one.item || CASE WHEN known.amount IS NULL THEN '{}'::jsonb ELSE jsonb_build_object('price', known.amount)
        || CASE WHEN known.model = '' THEN '{}' ELSE jsonb_build_object('priceOf', known.model) END
        || CASE WHEN priced.cost = 0 THEN '{}' ELSE jsonb_build_object('cost', priced.cost) END
    END ORDER BY one.position), '[]')
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
    CROSS JOIN LATERAL (SELECT least(
        div((one.item ->> 'quantity')::numeric * known.amount + price_unit(one.item ->> 'kind') / 2, price_unit(one.item ->> 'kind')), 1e15
    )::bigint AS cost) AS priced
$$;
-- +goose StatementEnd
