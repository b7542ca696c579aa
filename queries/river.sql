-- What a supervisor reads and changes in River's own tables when a process died; see worker/supervisor.go.

-- Whoever holds running jobs, live calls, SIP connections or River's leadership: the processes whose death would leave something behind.
-- name: ProcessListBusy :many
SELECT DISTINCT attempted_by[array_upper(attempted_by, 1)]::text AS process_id FROM river_job
WHERE state = 'running' AND array_upper(attempted_by, 1) > 0
UNION
SELECT worker_id FROM call
WHERE status IN ('dialing', 'ringing', 'in-progress', 'forwarding') AND worker_id IS NOT NULL
UNION
SELECT worker_id FROM sip_connection WHERE worker_id IS NOT NULL
UNION
SELECT leader_id FROM river_leader;

-- Gives a dead process's jobs back, as River's own rescue would an hour later, and wakes the queues.
-- name: ProcessReturnJobs :one
WITH lost AS (
    SELECT id FROM river_job
    WHERE state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = @process_id::text
    FOR UPDATE SKIP LOCKED
), returned AS (
    UPDATE river_job SET
        state = CASE WHEN attempt >= max_attempts THEN 'discarded' ELSE 'available' END::river_job_state,
        finalized_at = CASE WHEN attempt >= max_attempts THEN now() END,
        scheduled_at = now(),
        errors = array_append(errors, jsonb_build_object('at', now(), 'attempt', attempt, 'error', 'worker process died', 'trace', '')),
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

-- A process holds this lock for its life, on a connection of its own: Postgres frees it when the process is gone.
-- name: ProcessLock :exec
SELECT pg_advisory_lock(hashtextextended(concat_ws('/', 'process', @process_id::text), 0));

-- name: ProcessTryLock :one
SELECT pg_try_advisory_xact_lock(hashtextextended(concat_ws('/', 'process', @process_id::text), 0))::boolean AS locked;
