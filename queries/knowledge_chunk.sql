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

-- Each query is a word of the question with the spellings that may stand for it, and names its account and assistant
-- ("a:", "s:"). Of a word's queries the one of the greatest weight counts. A word that few passages have says more
-- than one that many have (the inverse document frequency of BM25); long passages weigh a little less.
-- name: KnowledgeChunkSearch :many
WITH asked AS (
    SELECT unnest(@words::int[]) AS word, unnest(@weights::float8[]) AS weight, unnest(@queries::text[])::tsquery AS query
), hit AS (
    SELECT chunk.document_id, chunk.position, asked.word, max(asked.weight) AS weight, max(length(chunk.content)) AS length
    FROM asked JOIN knowledge_chunk AS chunk ON chunk.search @@ asked.query
    WHERE chunk.account_id = @account_id
    GROUP BY chunk.document_id, chunk.position, asked.word
), total AS (
    SELECT coalesce(sum(chunk_count), 0)::float8 AS chunks FROM knowledge_document WHERE knowledge_document.account_id = @account_id
), rarity AS (
    SELECT counted.word, ln(1 + (greatest(total.chunks, counted.found) - counted.found + 0.5) / (counted.found + 0.5)) AS value
    FROM (SELECT asked.word, count(DISTINCT (hit.document_id, hit.position)) AS found FROM asked LEFT JOIN hit USING (word) GROUP BY asked.word) AS counted, total
), scored AS (
    SELECT hit.document_id, hit.position,
        sum(hit.weight * rarity.value) / (SELECT sum(value) FROM rarity) / (0.9 + 0.1 * max(hit.length) / 800) AS score
    FROM hit JOIN rarity USING (word)
    GROUP BY hit.document_id, hit.position
), best AS (
    SELECT ranked.* FROM (
        SELECT scored.*, row_number() OVER (PARTITION BY document_id ORDER BY score DESC, position) AS place FROM scored
    ) AS ranked
    WHERE place <= @per_document::int
    ORDER BY score DESC, document_id, position
    LIMIT @max::int
)
SELECT knowledge_document.id, knowledge_document.title, chunk.position, chunk.content, least(best.score, 1)::float8 AS score
FROM best
JOIN knowledge_document ON knowledge_document.id = best.document_id AND knowledge_document.account_id = @account_id
JOIN knowledge_chunk AS chunk ON chunk.document_id = best.document_id AND chunk.position = best.position
ORDER BY best.score DESC, best.document_id, best.position;

-- What Postgres makes of words: their lexemes in both languages, and whether one of the languages thinks nothing of them.
-- name: KnowledgeLexemes :many
SELECT word.ordinal::int AS ordinal, tsvector_to_array(dutch.lexemes || english.lexemes)::text[] AS lexemes,
    (dutch.lexemes = '' OR english.lexemes = '')::boolean AS stop_word
FROM unnest(@words::text[]) WITH ORDINALITY AS word (text, ordinal),
    to_tsvector('pg_catalog.dutch', word.text) AS dutch (lexemes), to_tsvector('pg_catalog.english', word.text) AS english (lexemes)
ORDER BY word.ordinal;
