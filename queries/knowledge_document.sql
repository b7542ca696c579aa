-- processing -> ready | failed (by the job ingest_knowledge, or ready at once where nothing has to be fetched).
-- ready | failed -> processing by a refresh, which starts a new generation: what an earlier one fetched is dropped.
-- The chunks of a document stay searchable until those of the next generation take their place. Deletion removes the row.

-- name: KnowledgeDocumentInsert :one
INSERT INTO knowledge_document (id, account_id, assistant_id, title, source_type, url, status)
VALUES (@id, @account_id, sqlc.narg('assistant_id'), @title, @source_type, sqlc.narg('url'), @status)
RETURNING *;

-- name: KnowledgeDocumentGet :one
SELECT * FROM knowledge_document WHERE account_id = @account_id AND id = @id;

-- name: KnowledgeDocumentGetByID :one
SELECT * FROM knowledge_document WHERE id = @id;

-- name: KnowledgeDocumentList :many
SELECT * FROM knowledge_document
WHERE account_id = @account_id AND id < @before AND (sqlc.narg('assistant_id')::uuid IS NULL OR assistant_id = sqlc.narg('assistant_id'))
ORDER BY id DESC
LIMIT @max::int OFFSET @skip::int;

-- name: KnowledgeDocumentCount :one
SELECT count(*) FROM knowledge_document
WHERE account_id = @account_id AND (sqlc.narg('assistant_id')::uuid IS NULL OR assistant_id = sqlc.narg('assistant_id'));

-- How many more documents the account may have. It is asked under the account's lock (KnowledgeTermLock).
-- name: KnowledgeDocumentCountFree :one
SELECT account.max_knowledge_documents AS most,
    (account.max_knowledge_documents - (SELECT count(*) FROM knowledge_document WHERE knowledge_document.account_id = account.id))::bigint AS free
FROM account WHERE account.id = @account_id;

-- name: KnowledgeDocumentSetReady :one
UPDATE knowledge_document SET status = 'ready', error = NULL, chunk_count = @chunk_count, updated_at = now()
WHERE id = @id AND generation = @generation AND status = 'processing'
RETURNING *;

-- name: KnowledgeDocumentSetFailed :execrows
UPDATE knowledge_document SET status = 'failed', error = @error, updated_at = now()
WHERE id = @id AND generation = @generation AND status = 'processing';

-- name: KnowledgeDocumentRefresh :one
UPDATE knowledge_document SET status = 'processing', error = NULL, generation = generation + 1, updated_at = now()
WHERE account_id = @account_id AND id = @id AND source_type = 'url'
RETURNING *;

-- name: KnowledgeDocumentDelete :one
DELETE FROM knowledge_document WHERE account_id = @account_id AND id = @id RETURNING title;

-- name: KnowledgeDocumentListIDsOfAssistant :many
SELECT id FROM knowledge_document WHERE account_id = @account_id AND assistant_id = @assistant_id ORDER BY id;
