-- queued -> sent | failed. While it is queued, whoever sends it holds it until claimed_until; each claim is an attempt.
-- A process that dies between the server's acceptance and our record of it sends the mail again once the claim has
-- passed: SMTP does not say what it accepted before. Both copies carry the same Message-ID, by which mailboxes
-- recognise copies. Nothing else sends a mail twice.

-- An occasion that already has its mail inserts nothing.
-- name: MailInsert :execrows
INSERT INTO mail (id, account_id, call_id, key, recipient, content)
VALUES (@id, @account_id, sqlc.narg('call_id'), @key, @recipient, @content)
ON CONFLICT (account_id, key) DO NOTHING;

-- name: MailGet :one
SELECT * FROM mail WHERE id = @id;

-- name: MailClaim :one
UPDATE mail SET claimed_until = now() + make_interval(secs => @seconds::double precision), attempts = attempts + 1, updated_at = now()
WHERE id = @id AND status = 'queued' AND (claimed_until IS NULL OR claimed_until <= now())
RETURNING *;

-- name: MailFinish :exec
UPDATE mail SET status = @status, content = NULL, claimed_until = NULL, error = sqlc.narg('error'), updated_at = now()
WHERE id = @id AND status = 'queued' AND attempts = @attempts;

-- name: MailReturn :exec
UPDATE mail SET claimed_until = NULL, error = sqlc.narg('error'), updated_at = now()
WHERE id = @id AND status = 'queued' AND attempts = @attempts;

-- Who was written to is kept for a month, for the question whether a mail left.
-- name: MailDeleteExpired :execrows
DELETE FROM mail WHERE status <> 'queued' AND updated_at <= now() - interval '30 days';
