-- Written once each, while the call runs.

-- name: CallToolCallInsert :execrows
INSERT INTO call_tool_call (call_id, position, account_id, tool_call_id, name, arguments, result, error, seconds_from_start, duration_ms)
VALUES (@call_id, @position, @account_id, @tool_call_id, @name, @arguments, sqlc.narg('result'), sqlc.narg('error'), @seconds_from_start, @duration_ms)
ON CONFLICT (call_id, position) DO NOTHING;

-- name: CallToolCallList :many
SELECT * FROM call_tool_call WHERE account_id = @account_id AND call_id = @call_id ORDER BY position LIMIT 1000;

-- name: CallToolCallListMany :many
SELECT * FROM call_tool_call WHERE call_id = ANY (@call_ids::uuid[]) ORDER BY call_id, position;
