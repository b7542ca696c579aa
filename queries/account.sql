-- name: AccountInsert :one
INSERT INTO account (id, email, name) VALUES (@id, @email, @name) RETURNING *;

-- name: AccountGet :one
SELECT * FROM account WHERE id = @id;

-- name: AccountGetByEmail :one
SELECT * FROM account WHERE email = @email;

-- For what an account may do only once at a time. Rows that refer to the account can still be written.
-- name: AccountLock :exec
SELECT FROM account WHERE id = @id FOR NO KEY UPDATE;

-- name: AccountSetSubscription :one
UPDATE account SET subscription_status = @subscription_status, updated_at = now() WHERE id = @id RETURNING *;
