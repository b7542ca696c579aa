-- Only the hash of a link is kept. It is used once: whoever comes second finds no unused row.

-- shown: somebody who is not the person sees it.
-- name: LoginLinkInsert :exec
INSERT INTO login_link (hash, account_id, person_id, purpose, shown, expires_at)
VALUES (@hash, @account_id, @person_id, @purpose, @shown, now() + make_interval(secs => @seconds::double precision));

-- elsewhere: the person has joined another account.
-- name: LoginLinkGet :one
SELECT sqlc.embed(login_link), person.email, person.password_hash, person.password_unproven, account.name AS account_name,
    EXISTS (SELECT FROM membership AS other WHERE other.person_id = login_link.person_id AND other.account_id <> login_link.account_id AND other.joined_at IS NOT NULL) AS elsewhere
FROM login_link JOIN person ON person.id = login_link.person_id JOIN account ON account.id = login_link.account_id
WHERE login_link.hash = @hash AND login_link.used_at IS NULL AND login_link.expires_at > now();

-- name: LoginLinkUse :one
UPDATE login_link SET used_at = now() WHERE hash = @hash AND used_at IS NULL AND expires_at > now() RETURNING *;

-- After a new password no earlier link gets anybody in.
-- name: LoginLinkEnd :exec
UPDATE login_link SET used_at = now() WHERE person_id = @person_id AND purpose = ANY (@purposes::text[]) AND used_at IS NULL;

-- name: LoginLinkDeleteExpired :execrows
DELETE FROM login_link WHERE expires_at <= now() - interval '1 day';

-- name: LoginLinkEndInvitations :exec
UPDATE login_link SET used_at = now() WHERE account_id = @account_id AND person_id = @person_id AND purpose = 'invite' AND used_at IS NULL;
