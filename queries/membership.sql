-- Whoever changes roles or members locks the account first, so that two changes cannot leave it without an owner.

-- name: MembershipEnsure :execrows
INSERT INTO membership (account_id, person_id, role, joined_at) VALUES (@account_id, @person_id, @role, sqlc.narg('joined_at'))
ON CONFLICT (account_id, person_id) DO NOTHING;

-- name: MembershipGet :one
SELECT sqlc.embed(membership), sqlc.embed(person) FROM membership JOIN person ON person.id = membership.person_id
WHERE membership.account_id = @account_id AND membership.person_id = @person_id;

-- name: MembershipList :many
SELECT sqlc.embed(membership), sqlc.embed(person)
FROM membership JOIN person ON person.id = membership.person_id
WHERE membership.account_id = @account_id AND membership.person_id < @before
ORDER BY membership.person_id DESC
LIMIT @max::int OFFSET @skip::int;

-- name: MembershipCount :one
SELECT count(*) FROM membership WHERE account_id = @account_id;

-- name: MembershipCountOwners :one
SELECT count(*) FROM membership WHERE account_id = @account_id AND role = 'owner' AND joined_at IS NOT NULL;

-- name: MembershipSetRole :exec
UPDATE membership SET role = @role, updated_at = now() WHERE account_id = @account_id AND person_id = @person_id;

-- name: MembershipJoin :exec
UPDATE membership SET joined_at = now(), updated_at = now()
WHERE account_id = @account_id AND person_id = @person_id AND joined_at IS NULL;

-- Sessions and links go with it.
-- name: MembershipDelete :exec
DELETE FROM membership WHERE account_id = @account_id AND person_id = @person_id;

-- The accounts that a person has joined, the first one first.
-- name: MembershipListOfPerson :many
SELECT account.id, account.name, membership.role FROM membership JOIN account ON account.id = membership.account_id
WHERE membership.person_id = @person_id AND membership.joined_at IS NOT NULL
ORDER BY membership.joined_at, account.id;
