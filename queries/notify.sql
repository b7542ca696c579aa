-- Wakes those who listen to channels, in a statement of its own. Where the name of a channel begins with a dot the current schema
-- stands before it, as in those of River.
-- name: Notify :exec
SELECT pg_notify(CASE WHEN left(note.channel, 1) = '.' THEN current_schema() || note.channel ELSE note.channel END, note.payload)
FROM (SELECT unnest(@channels::text[]) AS channel, unnest(@payloads::text[]) AS payload) AS note;

-- Takes the lock of whoever numbers events, which lasts as long as the session.
-- name: NumberingTryLock :one
SELECT pg_try_advisory_lock(@key::bigint) AS won;
