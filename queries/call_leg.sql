-- dialing -> ringing -> in-progress (answered) -> joined -> one final state: completed, busy, no-answer, voicemail, declined, canceled,
-- failed. A leg belongs to the worker of its call, and no leg is live whose call is over.

-- A leg whose INVITE may leave from now on. No row: the call is not this worker's any more, or has a leg that is live.
-- name: CallLegInsert :one
INSERT INTO call_leg (id, account_id, call_id, destination, mode, simulated, sip_call_id, reserved_seconds)
SELECT @id, call.account_id, call.id, @destination, @mode, call.simulated, @sip_call_id, sqlc.narg('reserved_seconds')
FROM call WHERE call.account_id = @account_id AND call.id = @call_id AND call.worker_id = @worker_id::text AND call.stage = 'live'
FOR SHARE OF call
ON CONFLICT (account_id, call_id) WHERE ended_at IS NULL DO NOTHING
RETURNING *;

-- A step that happened age seconds ago. A JSON null stands for no dialog.
-- name: CallLegProgress :execrows
UPDATE call_leg SET status = @status, sip_dialog = coalesce(nullif(@sip_dialog::jsonb, 'null'::jsonb), sip_dialog),
    started_at = CASE WHEN @status::text = 'in-progress' THEN now() - make_interval(secs => @age::double precision) ELSE started_at END,
    joined_at = CASE WHEN @status::text = 'joined' THEN now() - make_interval(secs => @age::double precision) ELSE joined_at END
WHERE id = @id AND ended_at IS NULL;

-- name: CallLegEnd :one
UPDATE call_leg SET status = @status, error = nullif(@error::text, ''), sip_code = nullif(@sip_code::integer, 0), sip_dialog = NULL,
    ended_at = greatest(started_at, now() - make_interval(secs => @age::double precision))
WHERE id = @id AND ended_at IS NULL
RETURNING *;

-- Ends what is live of legs whose calls are over. Those of a process that died stay with their dialogs, for whoever hangs up.
-- name: CallLegEndOfCalls :many
UPDATE call_leg SET status = CASE WHEN call.ended_reason = 'worker-lost' THEN 'failed' WHEN call_leg.joined_at IS NULL THEN 'canceled' ELSE 'completed' END,
    error = CASE WHEN call.ended_reason = 'worker-lost' THEN 'the worker that held the call died' END, ended_at = call.ended_at
FROM call
WHERE call.id = ANY (@call_ids::uuid[]) AND call_leg.account_id = call.account_id AND call_leg.call_id = call.id AND call_leg.ended_at IS NULL
RETURNING call_leg.*;

-- name: CallLegListMany :many
SELECT * FROM call_leg WHERE call_id = ANY (@call_ids::uuid[]) AND account_id = ANY (@account_ids::uuid[]) ORDER BY call_id, id LIMIT 10000;

-- name: ErasureCallLegs :exec
UPDATE call_leg SET sip_call_id = NULL, sip_dialog = NULL, error = NULL WHERE account_id = @account_id AND call_id = ANY (@call_ids::uuid[]);
