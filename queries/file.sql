-- What the sweep of the file store compares files with.

-- name: FileListRecordings :many
SELECT account_id, id FROM call
WHERE recording_key IS NOT NULL AND (account_id, id) > (@after_account_id::uuid, @after_id::uuid)
ORDER BY account_id, id LIMIT @max::int;

-- name: FileListDocuments :many
SELECT file_key FROM verification_document ORDER BY file_key COLLATE "C";

-- A file of an account that there never was is somebody else's.
-- name: FileGetRecording :one
SELECT (EXISTS (SELECT FROM account WHERE account.id = @account_id) OR EXISTS (SELECT FROM deleted_account WHERE deleted_account.id = @account_id))::boolean AS ours, (call.id IS NOT NULL)::boolean AS present, call.ended_at, call.erased_at, call.recording_key
FROM (SELECT) AS one LEFT JOIN call ON call.account_id = @account_id AND call.id = @id;

-- name: FileGetDocument :one
SELECT (EXISTS (SELECT FROM account WHERE account.id = @account_id) OR EXISTS (SELECT FROM deleted_account WHERE deleted_account.id = @account_id))::boolean AS ours,
    EXISTS (SELECT FROM verification_document WHERE file_key = @file_key) AS named;

-- name: FileForgetRecording :exec
UPDATE call SET recording_key = NULL, recording_missing_seconds = NULL, updated_at = now()
WHERE account_id = @account_id AND id = @id AND ended_at IS NOT NULL;
