-- Has the turns of a call told of, and forgets the account's leases that ran out. No row: the call is over.
-- name: CallWatchRenew :execrows
WITH unwatched AS (
    DELETE FROM call_watch WHERE (call_watch.account_id, call_watch.call_id) IN (
        SELECT old.account_id, old.call_id FROM call_watch AS old
        WHERE old.account_id = @account_id AND old.call_id <> @call_id AND old.expires_at < now()
        FOR UPDATE SKIP LOCKED)
)
INSERT INTO call_watch (account_id, call_id, expires_at)
SELECT call.account_id, call.id, now() + make_interval(secs => @seconds::double precision)
FROM call WHERE call.account_id = @account_id AND call.id = @call_id AND call.ended_at IS NULL
ON CONFLICT (account_id, call_id) DO UPDATE SET expires_at = excluded.expires_at;
