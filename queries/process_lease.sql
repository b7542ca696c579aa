-- live (ended_at is null) -> ended, by whoever found the process dead, or by itself -> live again, when a process that was
-- taken for dead comes back. A renewal and an end wait for each other's row lock, so that one of them finds the other's.

-- What ended long ago is forgotten: to a renewal a row that is gone and one that is ended are the same.
-- name: ProcessLeaseForget :exec
DELETE FROM process_lease WHERE ended_at < now() - interval '1 hour';

-- name: ProcessLeaseAcquire :exec
INSERT INTO process_lease (process_id, boot_id, pid_namespace, pid, pid_started, session, version)
VALUES (@process_id, @boot_id, @pid_namespace, @pid, @pid_started, current_setting('application_name'), @version)
ON CONFLICT (process_id) DO UPDATE SET session = excluded.session, renewals = process_lease.renewals + 1, renewed_at = now(), able = true, ended_at = NULL;

-- Renews a lease and returns what its process looks after: whether it is one of the two that judge all processes, and which lease
-- stands before its own on its host, whose process it sees gone. The two are the first of the fresh leases, which stand by host,
-- and the first of another host behind it, or else the second. A lease is fresh that was renewed lately by a process that is able
-- to look. The clock of Postgres says who judges, never who is dead. coalesce keeps the planner from expecting, by statistics of a
-- minute ago, that nothing is fresh: then it would read and sort all leases.
-- name: ProcessLeaseRenew :one
WITH renewed AS (
    UPDATE process_lease SET renewals = renewals + 1, renewed_at = now(), able = @able WHERE process_lease.process_id = @process_id AND process_lease.ended_at IS NULL
    RETURNING process_id, boot_id, pid_namespace
), fresh AS NOT MATERIALIZED (
    SELECT lease.process_id, lease.boot_id, lease.pid_namespace FROM process_lease AS lease
    WHERE lease.ended_at IS NULL AND coalesce(lease.process_id = @process_id
        OR lease.able AND lease.renewed_at BETWEEN now() - interval '2.5 seconds' AND now() + interval '2.5 seconds', false)
), leader AS (
    SELECT fresh.process_id, fresh.boot_id, fresh.pid_namespace FROM fresh ORDER BY fresh.boot_id, fresh.pid_namespace, fresh.process_id LIMIT 1
), deputy AS (
    SELECT candidate.process_id FROM (
        (SELECT fresh.process_id, 1 AS choice FROM fresh WHERE fresh.boot_id > (SELECT leader.boot_id FROM leader)
        ORDER BY fresh.boot_id, fresh.pid_namespace, fresh.process_id LIMIT 1)
        UNION ALL
        (SELECT fresh.process_id, 2 FROM fresh WHERE fresh.boot_id = (SELECT leader.boot_id FROM leader)
            AND (fresh.pid_namespace, fresh.process_id) > ((SELECT leader.pid_namespace FROM leader), (SELECT leader.process_id FROM leader))
        ORDER BY fresh.boot_id, fresh.pid_namespace, fresh.process_id LIMIT 1)
    ) AS candidate ORDER BY candidate.choice LIMIT 1
)
SELECT (renewed.process_id IN (SELECT leader.process_id FROM leader) OR renewed.process_id IN (SELECT deputy.process_id FROM deputy))::boolean AS judges,
    coalesce(beside.process_id, '')::text AS beside, coalesce(beside.pid, 0)::integer AS pid,
    coalesce(beside.pid_started, 0)::bigint AS pid_started, coalesce(beside.renewals, 0)::bigint AS renewals
FROM renewed LEFT JOIN LATERAL (
    SELECT near.process_id, near.pid, near.pid_started, near.renewals FROM (
        (SELECT before.* FROM process_lease AS before WHERE before.ended_at IS NULL AND before.boot_id = renewed.boot_id
            AND before.pid_namespace = renewed.pid_namespace AND before.process_id < renewed.process_id
        ORDER BY before.process_id DESC LIMIT 1)
        UNION ALL
        (SELECT last.* FROM process_lease AS last WHERE last.ended_at IS NULL AND last.boot_id = renewed.boot_id
            AND last.pid_namespace = renewed.pid_namespace AND last.process_id > renewed.process_id
        ORDER BY last.process_id DESC LIMIT 1)
    ) AS near ORDER BY near.process_id < renewed.process_id DESC LIMIT 1
) AS beside ON true;

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

-- How many calls the process holds, and how many it may: fewer than its queue has room for while their sound leaves late.
-- name: ProcessLeaseReport :exec
UPDATE process_lease SET calls = @calls, places = @places WHERE process_id = @process_id AND ended_at IS NULL;

-- How many calls the other processes may hold in addition.
-- name: ProcessLeaseFreePlaces :one
SELECT coalesce(sum(places - calls), 0)::bigint FROM process_lease
WHERE process_id <> @process_id AND ended_at IS NULL AND places > calls AND renewed_at > now() - interval '5 seconds';
