-- stored -> uploaded (the carrier has it) | refused (by the scanner or the carrier). A group has one document of a type.
-- The row is written when its file is whole; a file that no row names is discarded.

-- name: VerificationDocumentInsert :one
INSERT INTO verification_document (id, account_id, verification_group_id, document_type, content_type, size, sha256, file_key, file_secret)
VALUES (@id, @account_id, @verification_group_id, @document_type, @content_type, @size, @sha256, @file_key, @file_secret)
RETURNING *;

-- name: VerificationDocumentGet :one
SELECT * FROM verification_document
WHERE account_id = @account_id AND verification_group_id = @verification_group_id AND id = @id;

-- name: VerificationDocumentDelete :one
DELETE FROM verification_document
WHERE account_id = @account_id AND verification_group_id = @verification_group_id AND id = @id
RETURNING *;

-- The documents of all groups of a page, so that a list asks once.
-- name: VerificationDocumentListForGroups :many
SELECT * FROM verification_document
WHERE account_id = @account_id AND verification_group_id = ANY (@verification_group_ids::uuid[])
ORDER BY id DESC;

-- name: VerificationDocumentGetAny :one
SELECT * FROM verification_document WHERE id = @id;

-- name: VerificationDocumentSetUploaded :execrows
UPDATE verification_document SET status = 'uploaded', external_file_id = @external_file_id, error = NULL
WHERE id = @id AND status <> 'refused';

-- name: VerificationDocumentSetRefused :exec
UPDATE verification_document SET status = 'refused', error = @error WHERE id = @id AND status = 'stored';

-- name: VerificationDocumentNamesFile :one
SELECT EXISTS (SELECT FROM verification_document WHERE file_key = @file_key);
