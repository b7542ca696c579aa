-- live (ended_at is null) -> ended, by whoever found the process dead, or by itself -> live again, when a process that was
-- taken for dead comes back. A renewal and an end wait for each other's row lock, so that one of them finds the other's.

-- What ended long ago is forgotten: to a renewal a row that is gone and one that is ended are the same.
-- name: ProcessLeaseForget :exec
DELETE FROM process_lease WHERE ended_at < now() - interval '1 hour';

-- name: ProcessLeaseAcquire :exec
INSERT INTO process_lease (process_id, boot_id, pid_namespace, pid, pid_started, session)
VALUES (@process_id, @boot_id, @pid_namespace, @pid, @pid_started, current_setting('application_name'))
ON CONFLICT (process_id) DO UPDATE SET session = excluded.session, renewals = process_lease.renewals + 1, renewed_at = now(), ended_at = NULL;

-- name: ProcessLeaseRenew :execrows
UPDATE process_lease SET renewals = renewals + 1, renewed_at = now() WHERE process_id = @process_id AND ended_at IS NULL;

-- The leases of all processes, and without a lease (no renewals) whoever holds running jobs, live calls, SIP connections or
-- River's leadership all the same: what a process took after it was found dead.
-- name: ProcessLeaseList :many
SELECT process_id, boot_id, pid_namespace, pid, pid_started, renewals FROM process_lease WHERE ended_at IS NULL
UNION ALL
SELECT busy.process_id, '', '', 0, 0, -1 FROM (
    SELECT attempted_by[array_upper(attempted_by, 1)]::text AS process_id FROM river_job
    WHERE state = 'running' AND array_upper(attempted_by, 1) > 0
    UNION
    SELECT worker_id FROM call
    WHERE stage = 'live' AND worker_id IS NOT NULL
    UNION
    SELECT worker_id FROM sip_connection WHERE worker_id IS NOT NULL
    UNION
    SELECT leader_id FROM river_leader
) AS busy
WHERE NOT EXISTS (SELECT FROM process_lease AS live WHERE live.process_id = busy.process_id AND live.ended_at IS NULL);

-- Ends the lease of a process that is found dead, and returns no row when it has renewed since. The row is locked until what
-- the process left is picked up: one that comes back waits, and finds it ended. A process without a row gets an ended one,
-- for the same lock.
-- name: ProcessLeaseEnd :execrows
INSERT INTO process_lease (process_id, boot_id, pid_namespace, pid, pid_started, ended_at) VALUES (@process_id, '', '', 0, 0, now())
ON CONFLICT (process_id) DO UPDATE SET ended_at = coalesce(process_lease.ended_at, now())
WHERE process_lease.ended_at IS NOT NULL OR process_lease.renewals = @renewals;

-- Ends the sessions of a process that is found dead. What they hold or wait for, such as the lock of an account, would pass from
-- one to the next, each for as long as an open transaction may be silent.
-- name: ProcessEndSessions :exec
SELECT end_sessions(session) FROM process_lease
WHERE process_id = @process_id AND renewals = @renewals AND ended_at IS NULL AND session <> '';

-- name: ProcessLeaseRelease :exec
DELETE FROM process_lease WHERE process_id = @process_id;

-- Postgres ends a session that leaves the transaction open for so long, and with it its locks: whoever judges may be paused.
-- name: ProcessLeaseLimitTransaction :exec
SELECT set_config('idle_in_transaction_session_timeout', '5s', true);
