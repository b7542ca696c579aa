-- What a supervisor reads and changes in River's own tables when a process died; see worker/supervisor.go.

-- The jobs that a process was given a while ago and has not ended.
-- name: ProcessListJobs :many
SELECT id FROM river_job
WHERE state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = @process_id::text AND attempted_at < now() - interval '15 seconds';

-- Gives a dead process's jobs back, as River's own rescue would an hour later, and wakes the queues. Where ids are given, only
-- those, of a process that lives and has not been given them anew.
-- name: ProcessReturnJobs :one
WITH lost AS (
    SELECT id FROM river_job
    WHERE state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = @process_id::text
        AND (cardinality(@ids::bigint[]) = 0 OR id = ANY (@ids) AND attempted_at < now() - interval '15 seconds')
    FOR UPDATE SKIP LOCKED
), returned AS (
    UPDATE river_job SET
        state = CASE WHEN attempt >= max_attempts THEN 'discarded' ELSE 'available' END::river_job_state,
        finalized_at = CASE WHEN attempt >= max_attempts THEN now() END,
        scheduled_at = now(),
        errors = array_append(errors, jsonb_build_object('at', now(), 'attempt', attempt, 'error', @error::text, 'trace', '')),
        metadata = jsonb_set(metadata, '{river:rescue_count}', to_jsonb(coalesce((metadata ->> 'river:rescue_count')::integer, 0) + 1))
    FROM lost WHERE river_job.id = lost.id
    RETURNING river_job.queue
), woken AS (
    SELECT pg_notify(current_schema() || '.river_insert', json_build_object('queue', queues.queue)::text)
    FROM (SELECT DISTINCT queue FROM returned) AS queues
)
SELECT (SELECT count(*) FROM returned)::bigint AS returned, (SELECT count(*) FROM woken)::bigint AS queues;

-- Ends a dead process's leadership, as its own resignation would have, so that another is elected at once.
-- name: ProcessResign :execrows
WITH resigned AS (
    DELETE FROM river_leader WHERE leader_id = @process_id::text
    RETURNING leader_id
)
SELECT pg_notify(current_schema() || '.river_leadership', json_build_object('leader_id', leader_id, 'action', 'resigned')::text)
FROM resigned;

-- When the next job of each of the queues is due that have one, in seconds: a look-up for each of River's priorities.
-- name: JobListDue :many
SELECT asked.name::text AS queue, extract(epoch FROM min(first.scheduled_at) - clock_timestamp())::double precision AS due_in
FROM unnest(@queues::text[]) AS asked (name) CROSS JOIN generate_series(1, 4) AS priority (n) CROSS JOIN LATERAL (
    SELECT job.scheduled_at FROM river_job AS job
    WHERE job.state = 'available' AND job.queue = asked.name AND job.priority = priority.n
    ORDER BY job.scheduled_at LIMIT 1
) AS first
GROUP BY asked.name;

-- What the clock of Postgres shows, by which jobs are due.
-- name: JobClock :one
SELECT clock_timestamp()::timestamptz AS now;

-- Locks jobs that are there already of those that are to be inserted once, in the order of their ids; see worker/driver/locks.go.
-- name: JobLockUnique :exec
SELECT id FROM river_job
WHERE unique_key = ANY (@unique_keys::bytea[]) AND unique_key IS NOT NULL AND unique_states IS NOT NULL
    AND river_job_state_in_bitmask(unique_states, state)
ORDER BY id FOR UPDATE;
