-- What a deployment has to do and who does it, for its operator; see jobs/overview. Each query reads a bounded number of rows by an
-- index: it is asked for while the database has too much to do.

-- How many jobs wait and run, of the first of each queue and state in the order in which they are fetched, and how long the oldest
-- has been due.
-- name: OverviewListJobs :many
SELECT queue.name::text AS queue, job.kind, (state.name::text)::text AS state, count(*)::bigint AS jobs,
    coalesce(greatest(extract(epoch FROM now() - min(job.scheduled_at)), 0), 0)::double precision AS oldest
FROM unnest(@queues::text[]) AS queue (name)
CROSS JOIN unnest('{available,running,retryable,scheduled}'::river_job_state[]) AS state (name)
CROSS JOIN LATERAL (
    SELECT kind, scheduled_at FROM river_job
    WHERE river_job.state = state.name AND river_job.queue = queue.name
        AND river_job.state IN ('available', 'pending', 'retryable', 'running', 'scheduled') -- as the index has it
    ORDER BY priority, scheduled_at, id LIMIT @most
) AS job
GROUP BY queue.name, job.kind, state.name
ORDER BY queue.name, job.kind, state.name;

-- name: OverviewListCalls :many
SELECT status, direction, simulated, count(*)::bigint AS calls, 0::double precision AS oldest
FROM call WHERE stage = 'live'
GROUP BY status, direction, simulated
UNION ALL
SELECT 'queued', direction, simulated, count(*), greatest(extract(epoch FROM now() - min(created_at)), 0)::double precision
FROM (SELECT direction, simulated, created_at FROM call WHERE stage = 'queued' LIMIT @most) AS waiting
GROUP BY direction, simulated
ORDER BY 1, 2, 3;

-- name: OverviewListProcesses :many
SELECT lease.process_id, lease.version, extract(epoch FROM now() - lease.renewed_at)::double precision AS renewed_ago,
    (SELECT count(*) FROM call WHERE worker_id = lease.process_id AND stage = 'live')::bigint AS calls, lease.places,
    EXISTS (SELECT FROM river_leader WHERE leader_id = lease.process_id) AS leads
FROM process_lease AS lease WHERE lease.ended_at IS NULL
ORDER BY lease.process_id LIMIT @most;

-- name: OverviewGetDeliveries :one
SELECT
    (SELECT count(*) FROM webhook_endpoint WHERE url IS NOT NULL AND enabled AND retry_at IS NULL)::bigint AS well,
    (SELECT count(*) FROM webhook_endpoint WHERE url IS NOT NULL AND enabled AND retry_at IS NOT NULL)::bigint AS failing,
    (SELECT count(*) FROM webhook_endpoint WHERE url IS NOT NULL AND NOT enabled)::bigint AS disabled,
    (SELECT count(*) FROM (SELECT FROM event WHERE waits_for IS NOT NULL LIMIT @most) AS waiting)::bigint AS waiting,
    (SELECT count(*) FROM (SELECT FROM delivery_queue LIMIT @most) AS queued)::bigint AS due;

-- name: OverviewListSIPConnections :many
SELECT status, simulated, count(*)::bigint AS connections FROM sip_connection GROUP BY status, simulated ORDER BY status, simulated;
