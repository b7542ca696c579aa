-- The vocabulary of an account. It is written under the account's lock, so that a word is not taken away while another
-- document brings it in.

-- name: KnowledgeTermLock :exec
SELECT pg_advisory_xact_lock(hashtextextended('knowledge_term:' || (@account_id::uuid)::text, 0));

-- trigrams are those of each term, parted by spaces. Words that one of the languages thinks nothing of stay out.
-- name: KnowledgeTermInsertMany :exec
INSERT INTO knowledge_term (account_id, term, stem, trigrams)
SELECT @account_id, new.term, (tsvector_to_array(to_tsvector('pg_catalog.dutch', new.term)))[1],
    array_to_tsvector(string_to_array(new.trigrams, ' ') || ARRAY['a:' || (@account_id::uuid)::text])
FROM (SELECT unnest(@terms::text[]) AS term, unnest(@trigrams::text[]) AS trigrams) AS new
WHERE to_tsvector('pg_catalog.dutch', new.term) <> '' AND to_tsvector('pg_catalog.english', new.term) <> ''
ON CONFLICT DO NOTHING;

-- A term stays as long as a passage has its stem. words are those of passages that are gone.
-- name: KnowledgeTermDeleteUnused :exec
DELETE FROM knowledge_term
USING (
    SELECT DISTINCT unnest(tsvector_to_array(to_tsvector('pg_catalog.dutch', word) || to_tsvector('pg_catalog.english', word))) AS stem
    FROM unnest(@words::text[]) AS word
) AS gone
WHERE knowledge_term.account_id = @account_id AND knowledge_term.stem = gone.stem AND NOT EXISTS (
    SELECT FROM knowledge_chunk
    WHERE knowledge_chunk.account_id = @account_id
        AND knowledge_chunk.search @@ (('''a:' || (@account_id::uuid)::text || '''')::tsquery && plainto_tsquery('pg_catalog.simple', gone.stem))
);

-- queries are the trigrams of words, one query each; the result names the word by its position. There may be thousands of terms, so
-- those of a word come in one row.
-- name: KnowledgeTermListLike :many
SELECT found.word::int AS word, array_agg(found.term)::text[] AS terms FROM (
    SELECT wanted.word, knowledge_term.term
    FROM (SELECT unnest(@words::int[]) AS word, unnest(@queries::text[])::tsquery AS query) AS wanted
    JOIN knowledge_term ON knowledge_term.trigrams @@ wanted.query AND knowledge_term.account_id = @account_id
    LIMIT @max::int
) AS found GROUP BY found.word;
