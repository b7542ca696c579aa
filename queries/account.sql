-- name: AccountInsert :one
INSERT INTO account (id, email, name) VALUES (@id, @email, @name) RETURNING *;

-- name: AccountGet :one
SELECT * FROM account WHERE id = @id;

-- name: AccountGetByEmail :one
SELECT * FROM account WHERE email = @email;
