-- Prices are the deployment's. A call keeps those that it was priced at.

-- What an amount is set for twice has the last of them.
-- name: PriceSetMany :execrows
INSERT INTO price (kind, provider, model, valid_from, amount)
SELECT DISTINCT ON (asked.kind, asked.provider, asked.model, asked.valid_from) asked.kind, asked.provider, asked.model, asked.valid_from, asked.amount
FROM (SELECT unnest(@kinds::text[]) AS kind, unnest(@providers::text[]) AS provider, unnest(@models::text[]) AS model,
    unnest(@valid_from::timestamptz[]) AS valid_from, unnest(@amounts::bigint[]) AS amount, generate_series(1, cardinality(@kinds::text[])) AS line) AS asked
ORDER BY asked.kind, asked.provider, asked.model, asked.valid_from, asked.line DESC
ON CONFLICT (kind, provider, model, valid_from) DO UPDATE SET amount = excluded.amount;

-- name: PriceList :many
SELECT * FROM price
WHERE (@kind::text = '' OR kind = @kind) AND (@provider::text = '' OR provider = @provider)
ORDER BY kind, provider, model, valid_from;

-- What recent calls used that has no price.
-- name: PriceListMissing :many
SELECT item.kind::text AS kind, item.provider::text AS provider, coalesce(item.model, '')::text AS model, count(*) AS calls
FROM (SELECT items FROM call_usage WHERE unpriced AND at > now() - interval '7 days' ORDER BY at DESC LIMIT 1000) AS recent
CROSS JOIN LATERAL jsonb_to_recordset(recent.items) AS item (kind text, provider text, model text, price bigint)
WHERE item.price IS NULL
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;

-- name: PriceIsAnySet :one
SELECT EXISTS (SELECT FROM price WHERE amount > 0);
