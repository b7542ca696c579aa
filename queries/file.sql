-- What the sweep of the file store compares files with.

-- name: FileListRecordings :many
SELECT account_id, id FROM call
WHERE recording_key IS NOT NULL AND (account_id, id) > (@after_account_id::uuid, @after_id::uuid)
ORDER BY account_id, id LIMIT @max::int;

-- name: FileListDocuments :many
SELECT file_key FROM verification_document WHERE file_key > @after_key ORDER BY file_key COLLATE "C" LIMIT @max::int;

-- may_have: the call is there, goes on or is over, and was not erased.
-- name: FileGetRecording :one
SELECT EXISTS (SELECT FROM account WHERE account.id = @account_id) AS account_exists, call.ended_at, call.recording_key,
    (call.id IS NOT NULL AND call.erased_at IS NULL)::boolean AS may_have
FROM (SELECT) AS one LEFT JOIN call ON call.account_id = @account_id AND call.id = @id;
