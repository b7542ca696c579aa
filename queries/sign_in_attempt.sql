-- Attempts are counted before a password is looked at, so that no number of them at the same time gets past the limit.

-- name: SignInAttemptCount :one
INSERT INTO sign_in_attempt AS earlier (key, tries) VALUES (@key, 1)
ON CONFLICT (key) DO UPDATE SET
    tries = CASE WHEN earlier.began_at <= now() - make_interval(secs => @seconds::double precision) THEN 1 ELSE earlier.tries + 1 END,
    began_at = CASE WHEN earlier.began_at <= now() - make_interval(secs => @seconds::double precision) THEN now() ELSE earlier.began_at END
RETURNING tries, ceil(extract(epoch FROM began_at - now()) + @seconds::double precision)::integer AS wait;

-- name: SignInAttemptForget :exec
DELETE FROM sign_in_attempt WHERE key = @key;

-- name: SignInAttemptDeleteExpired :execrows
DELETE FROM sign_in_attempt WHERE began_at <= now() - interval '1 day';
