-- A contact is deleted softly; past calls keep pointing at it.

-- name: ContactInsert :one
INSERT INTO contact (id, account_id, phone_number, full_name, email, address, org_id, last_interaction_at, last_interaction_summary)
VALUES (@id, @account_id, @phone_number, sqlc.narg('full_name'), sqlc.narg('email'), sqlc.narg('address'), sqlc.narg('org_id'),
    sqlc.narg('last_interaction_at'), sqlc.narg('last_interaction_summary'))
RETURNING *;

-- name: ContactGet :one
SELECT * FROM contact WHERE account_id = @account_id AND id = @id AND deleted_at IS NULL;

-- name: ContactTouch :exec
UPDATE contact SET last_interaction_at = greatest(last_interaction_at, @at::timestamptz), updated_at = now()
WHERE account_id = @account_id AND id = @id AND deleted_at IS NULL;
