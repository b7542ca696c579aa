-- A chunk is a passage of a document. search holds its words and those of the title, stemmed in Dutch and in English,
-- "a:" with the account, and "s:" with the assistant that alone knows it, or the account when all do.

-- words are the indexed words of each passage, parted by spaces.
-- name: KnowledgeChunkInsertMany :exec
INSERT INTO knowledge_chunk (account_id, document_id, position, content, search)
SELECT @account_id, @document_id, passage.position, passage.content,
    strip(to_tsvector('pg_catalog.dutch', passage.words) || to_tsvector('pg_catalog.english', passage.words))
        || array_to_tsvector(ARRAY['a:' || (@account_id::uuid)::text, 's:' || (@scope::uuid)::text])
FROM (SELECT unnest(@positions::int[]) AS position, unnest(@contents::text[]) AS content, unnest(@words::text[]) AS words) AS passage;

-- name: KnowledgeChunkDelete :many
DELETE FROM knowledge_chunk WHERE account_id = @account_id AND document_id = @document_id RETURNING content;

-- How many passages have each word, and how many there are. The queries name their account ("a:"), so that the index alone
-- can answer.
-- name: KnowledgeChunkCountWords :many
SELECT asked.word::int AS word, (SELECT count(*) FROM knowledge_chunk WHERE knowledge_chunk.search @@ asked.query)::bigint AS found,
    (SELECT coalesce(sum(chunk_count), 0) FROM knowledge_document WHERE knowledge_document.account_id = @account_id)::bigint AS chunks
FROM (SELECT unnest(@words::int[]) AS word, unnest(@queries::text[])::tsquery AS query) AS asked
ORDER BY asked.word;

-- Each query is a word of the question, or spellings that may stand for it. Of a word's queries the one of the greatest
-- weight counts. Passages are chosen by the words that few have and ranked by all words, first as if the spellings were the
-- words themselves; only the best are weighed exactly. Long passages weigh a little less. Of the passages that one of the chosen queries
-- finds, so many are looked at.
-- name: KnowledgeChunkSearch :many
WITH asked AS MATERIALIZED (
    SELECT unnest(@words::int[]) AS word, unnest(@weights::float8[]) AS weight, unnest(@queries::text[])::tsquery AS query
), every_word AS MATERIALIZED (
    SELECT unnest(@every_queries::text[])::tsquery AS query, unnest(@every_values::float8[]) AS value
), likely AS MATERIALIZED (
    SELECT chunk.document_id, chunk.position, chunk.search,
        (SELECT sum(every_word.value) FROM every_word WHERE chunk.search @@ every_word.query) AS value
    FROM unnest(@chosen::text[]) AS choice (query) CROSS JOIN LATERAL (
        SELECT chosen.document_id, chosen.position, chosen.search FROM knowledge_chunk AS chosen
        WHERE chosen.account_id = @account_id AND chosen.search @@ choice.query::tsquery LIMIT @looked_at::int
    ) AS chunk
    ORDER BY value DESC NULLS LAST, chunk.document_id, chunk.position
    LIMIT @likely::int
), hit AS (
    SELECT likely.document_id, likely.position, asked.word, max(asked.weight) AS weight
    FROM likely JOIN asked ON likely.search @@ asked.query
    GROUP BY likely.document_id, likely.position, asked.word
), scored AS (
    SELECT hit.document_id, hit.position, sum(hit.weight) / (0.9 + 0.1 * max(length(chunk.content)) / 800) AS score
    FROM hit JOIN knowledge_chunk AS chunk ON chunk.document_id = hit.document_id AND chunk.position = hit.position
    GROUP BY hit.document_id, hit.position
), best AS (
    SELECT ranked.* FROM (
        SELECT scored.*, row_number() OVER (PARTITION BY document_id ORDER BY score DESC, position) AS place FROM scored
    ) AS ranked
    WHERE place <= @per_document::int
    ORDER BY score DESC, document_id, position
    LIMIT @max::int
)
SELECT knowledge_document.id, knowledge_document.title, chunk.position, chunk.content, least(best.score / @ideal::float8, 1)::float8 AS score
FROM best
JOIN knowledge_document ON knowledge_document.id = best.document_id AND knowledge_document.account_id = @account_id
JOIN knowledge_chunk AS chunk ON chunk.document_id = best.document_id AND chunk.position = best.position
ORDER BY best.score DESC, best.document_id, best.position;

-- name: KnowledgeChunkListAt :many
SELECT knowledge_document.id, knowledge_document.title, chunk.position, chunk.content
FROM (SELECT unnest(@documents::uuid[]) AS document_id, unnest(@positions::int[]) AS position) AS wanted
JOIN knowledge_document ON knowledge_document.id = wanted.document_id AND knowledge_document.account_id = @account_id
JOIN knowledge_chunk AS chunk ON chunk.document_id = wanted.document_id AND chunk.position = wanted.position;

-- What Postgres makes of words: their lexemes in both languages, and whether one of the languages thinks nothing of them.
-- name: KnowledgeLexemes :many
SELECT word.ordinal::int AS ordinal, tsvector_to_array(dutch.lexemes || english.lexemes)::text[] AS lexemes,
    (dutch.lexemes = '' OR english.lexemes = '')::boolean AS stop_word
FROM unnest(@words::text[]) WITH ORDINALITY AS word (text, ordinal),
    to_tsvector('pg_catalog.dutch', word.text) AS dutch (lexemes), to_tsvector('pg_catalog.english', word.text) AS english (lexemes)
ORDER BY word.ordinal;
