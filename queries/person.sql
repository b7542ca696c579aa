-- People are above accounts: one may belong to several, with one password.

-- name: PersonGet :one
SELECT * FROM person WHERE id = @id;

-- name: PersonGetByEmail :one
SELECT * FROM person WHERE lower(email) = lower(@email);

-- Returns the person with this address, who may be there already.
-- name: PersonEnsure :one
INSERT INTO person (id, email, locale) VALUES (@id, @email, @locale)
ON CONFLICT (lower(email)) DO UPDATE SET updated_at = person.updated_at
RETURNING *;

-- What is not given stays as it is.
-- name: PersonUpdate :one
UPDATE person SET name = coalesce(sqlc.narg('name'), name), locale = coalesce(sqlc.narg('locale'), locale),
    time_zone = coalesce(sqlc.narg('time_zone'), time_zone), updated_at = now()
WHERE id = @id
RETURNING *;

-- Whoever checks a password and then acts on it holds the row, so that the password is not replaced between.
-- name: PersonLock :one
SELECT * FROM person WHERE id = @id FOR UPDATE;

-- Of two who replace the same password the second finds no row: what allowed it to is no longer so. unproven NULL: as the one before.
-- name: PersonSetPassword :one
UPDATE person SET password_hash = @password_hash, password_unproven = coalesce(sqlc.narg('unproven'), password_unproven), updated_at = now()
WHERE id = @id AND password_hash IS NOT DISTINCT FROM sqlc.narg('before')
RETURNING id;

-- Ends a password that somebody else may have chosen, before it opens another account.
-- name: PersonForgetUnproven :execrows
UPDATE person SET password_hash = NULL, password_unproven = false, updated_at = now() WHERE id = @id AND password_unproven;

-- People who belong to no account and whom no entry of an audit names.
-- name: PersonDeleteForgotten :execrows
DELETE FROM person
WHERE person.updated_at < now() - interval '1 day' AND NOT EXISTS (SELECT FROM membership WHERE membership.person_id = person.id)
    AND NOT EXISTS (SELECT FROM audit_entry WHERE audit_entry.person_id = person.id);
