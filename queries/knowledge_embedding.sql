-- An embedding belongs to the text of its passage: it goes with it, and is replaced when another model is configured.

-- Passages of a document that the model has not embedded yet. None, when the document has been read anew since: what is read
-- then has a job of its own.
-- name: KnowledgeEmbeddingListMissing :many
SELECT chunk.position, chunk.content, document.title
FROM knowledge_document AS document
JOIN knowledge_chunk AS chunk ON chunk.document_id = document.id
LEFT JOIN knowledge_embedding AS known ON known.document_id = chunk.document_id AND known.position = chunk.position
WHERE document.id = @document_id AND (document.generation = @generation OR document.status <> 'ready') AND known.model IS DISTINCT FROM @model::text
ORDER BY chunk.position
LIMIT @max::int;

-- What is not the text of the passage any more, or of none, is left out.
-- name: KnowledgeEmbeddingUpsertMany :exec
INSERT INTO knowledge_embedding (document_id, position, account_id, model, code, vector)
SELECT chunk.document_id, chunk.position, chunk.account_id, @model, made.code, made.vector
FROM (
    SELECT unnest(@positions::int[]) AS position, unnest(@contents::text[]) AS content, unnest(@codes::varbit[]) AS code, unnest(@vectors::bytea[]) AS vector
) AS made
JOIN knowledge_chunk AS chunk ON chunk.document_id = @document_id AND chunk.position = made.position AND chunk.content = made.content
ORDER BY chunk.position
FOR KEY SHARE OF chunk
ON CONFLICT (document_id, position) DO UPDATE SET model = excluded.model, code = excluded.code, vector = excluded.vector;

-- Documents with passages that the model has not embedded, in the order of their ids.
-- name: KnowledgeEmbeddingListUnembedded :many
SELECT document.id, document.generation FROM knowledge_document AS document
WHERE document.id > @after AND EXISTS (
    SELECT FROM knowledge_chunk AS chunk
    LEFT JOIN knowledge_embedding AS known ON known.document_id = chunk.document_id AND known.position = chunk.position
    WHERE chunk.document_id = document.id AND known.model IS DISTINCT FROM @model::text
)
ORDER BY document.id
LIMIT @max::int;

-- The passages that are likeliest to mean what is asked, in no order.
-- name: KnowledgeEmbeddingListLikely :many
WITH likely AS MATERIALIZED (
    SELECT known.document_id, known.position FROM knowledge_embedding AS known
    WHERE known.account_id = @account_id AND known.model = @model AND length(known.code) = length(@code::varbit)
        AND (sqlc.narg('assistant_id')::uuid IS NULL OR known.document_id IN (
            SELECT id FROM knowledge_document WHERE account_id = @account_id AND (assistant_id IS NULL OR assistant_id = sqlc.narg('assistant_id'))
        ))
    ORDER BY bit_count(known.code # @code::varbit), known.document_id, known.position
    LIMIT @max::int
)
SELECT known.document_id, known.position, known.vector
FROM likely JOIN knowledge_embedding AS known ON known.document_id = likely.document_id AND known.position = likely.position;
