-- pending -> (submit) pending with submitted_at, its submission raised -> approved | rejected; rejected -> (submit) pending.
-- Each submission is another review at the carrier: external_group_id is the present one's. deleted_at hides a group for
-- good and blanks what it says of persons; its orders keep its name.

-- name: VerificationGroupInsert :one
INSERT INTO verification_group (id, account_id, simulated, name, business_name, contact_person_first_name, contact_person_last_name,
    contact_person_phone, city, street_name, house_number, postal_code, province, description)
VALUES (@id, @account_id, @simulated, @name, @business_name, @contact_person_first_name, @contact_person_last_name,
    @contact_person_phone, @city, @street_name, @house_number, @postal_code, @province, sqlc.narg('description'))
RETURNING *;

-- name: VerificationGroupGet :one
SELECT * FROM verification_group WHERE account_id = @account_id AND id = @id AND deleted_at IS NULL;

-- For what must not meet a decision, a submission or a deletion.
-- name: VerificationGroupGetForUpdate :one
SELECT * FROM verification_group WHERE account_id = @account_id AND id = @id AND deleted_at IS NULL FOR UPDATE;

-- For an order, which many can make at once.
-- name: VerificationGroupGetForShare :one
SELECT * FROM verification_group WHERE account_id = @account_id AND id = @id AND deleted_at IS NULL FOR SHARE;

-- name: VerificationGroupList :many
SELECT * FROM verification_group
WHERE account_id = @account_id AND deleted_at IS NULL
    AND (sqlc.narg('status')::text IS NULL OR status = sqlc.narg('status'))
    AND id < @before
ORDER BY id DESC
LIMIT @max::int OFFSET @skip::int;

-- name: VerificationGroupCount :one
SELECT count(*) FROM verification_group
WHERE account_id = @account_id AND deleted_at IS NULL
    AND (sqlc.narg('status')::text IS NULL OR status = sqlc.narg('status'));

-- The row was read FOR UPDATE before, so the rules of its state hold.
-- name: VerificationGroupSubmit :one
UPDATE verification_group SET status = 'pending', submission = submission + 1, submitted_at = now(), reviewed_at = NULL,
    rejection_reason = NULL, external_group_id = NULL, updated_at = now()
WHERE account_id = @account_id AND id = @id
RETURNING *;

-- name: VerificationGroupDelete :exec
UPDATE verification_group SET deleted_at = now(), updated_at = now(), contact_person_first_name = '', contact_person_last_name = '',
    contact_person_phone = '', street_name = '', house_number = '', postal_code = '', description = NULL
WHERE account_id = @account_id AND id = @id;

-- For jobs, which are given ids and nothing else.
-- name: VerificationGroupGetAny :one
SELECT * FROM verification_group WHERE id = @id AND deleted_at IS NULL;

-- name: VerificationGroupSetAddress :exec
UPDATE verification_group SET external_address_id = sqlc.narg('external_address_id'), address_error = sqlc.narg('address_error'), updated_at = now()
WHERE id = @id AND external_address_id IS NULL AND deleted_at IS NULL;

-- name: VerificationGroupSetReview :exec
UPDATE verification_group SET external_group_id = @external_group_id, updated_at = now()
WHERE id = @id AND submission = @submission AND status = 'pending' AND external_group_id IS NULL;

-- What the carrier or the operator decides of the submission under review. No row: it was decided before.
-- name: VerificationGroupDecide :one
UPDATE verification_group SET status = @status, reviewed_at = now(), rejection_reason = sqlc.narg('rejection_reason'), updated_at = now()
WHERE id = @id AND submission = @submission AND status = 'pending' AND submitted_at IS NOT NULL AND deleted_at IS NULL
RETURNING *;

-- name: VerificationGroupGetByReview :one
SELECT * FROM verification_group WHERE external_group_id = @external_group_id AND status = 'pending' AND NOT simulated AND deleted_at IS NULL;

-- For the operator: what waits for a decision, the longest wait first.
-- name: VerificationGroupListUnderReview :many
SELECT verification_group.*, account.email FROM verification_group JOIN account ON account.id = verification_group.account_id
WHERE status = 'pending' AND submitted_at IS NOT NULL AND deleted_at IS NULL
ORDER BY submitted_at LIMIT 1000;

-- Which file of a group the carrier knows by which id; NULL when the document is gone.
-- name: VerificationGroupSetFile :exec
UPDATE verification_group SET
    external_company_registration_file_id = CASE WHEN @document_type::text = 'company-registration' THEN sqlc.narg('external_file_id') ELSE external_company_registration_file_id END,
    external_identification_file_id = CASE WHEN @document_type = 'copy-id' THEN sqlc.narg('external_file_id') ELSE external_identification_file_id END,
    external_proof_of_address_file_id = CASE WHEN @document_type = 'proof-of-address' THEN sqlc.narg('external_file_id') ELSE external_proof_of_address_file_id END,
    updated_at = now()
WHERE id = @id;
