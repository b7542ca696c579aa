-- The files of an account, for `callwright export account`.

-- name: ExportListRecordings :many
SELECT id, recording_key, recording_secret FROM call WHERE account_id = @account_id AND recording_key IS NOT NULL ORDER BY id;

-- name: ExportListDocuments :many
SELECT id, content_type, file_key, file_secret FROM verification_document WHERE account_id = @account_id ORDER BY id;
