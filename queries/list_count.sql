-- How many rows the lists have: list_count and the deltas that are not folded into it yet, together, in one statement and
-- so in one snapshot. Folding moves deltas in one transaction: before and after it the sum is the same.

-- One folder works at a time; others find nothing to do. The order keeps two of which one waits for a row that the other left from
-- waiting for each other. It returns how many deltas were folded.
-- name: ListCountFold :one
WITH taken AS MATERIALIZED (
    DELETE FROM list_count_delta WHERE ctid = ANY (ARRAY(
        SELECT delta.ctid FROM list_count_delta AS delta
        WHERE (SELECT pg_try_advisory_xact_lock(hashtextextended('list_count', 0))) LIMIT @max::int
    ))
    RETURNING account_id, list, part, status, bucket, n
), change AS (
    SELECT account_id, list, '' AS part, status, bucket, n FROM taken WHERE list <> 'contact_name'
    UNION ALL
    SELECT account_id, list, part, status, bucket, n FROM taken WHERE list <> 'contact_name' AND part <> ''
    UNION ALL
    SELECT taken.account_id, taken.list, gram.text, taken.status, taken.bucket, taken.n
    FROM (
        SELECT account_id, list, part, status, bucket, sum(n) AS n FROM taken WHERE list = 'contact_name'
        GROUP BY account_id, list, part, status, bucket HAVING sum(n) <> 0
    ) AS taken, name_grams(taken.part) AS gram (text)
), folded AS (
    INSERT INTO list_count AS counted (account_id, list, part, status, bucket, n)
    SELECT account_id, list, part, status, bucket, sum(n) FROM change
    GROUP BY account_id, list, part, status, bucket HAVING sum(n) <> 0
    ORDER BY account_id, list, part, status, bucket
    ON CONFLICT (account_id, list, part, status, bucket) DO UPDATE SET n = counted.n + excluded.n
)
SELECT count(*) FROM taken;

-- name: ListCountDeleteEmpty :exec
DELETE FROM list_count WHERE n = 0;
