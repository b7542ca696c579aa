-- pending -> ready (the assistant, its number and its knowledge are there, in the same transaction)
--          | failed (an outside service failed, or the number was gone; nothing else was written)
--          | expired (it was not ready in time; a job that comes later does nothing).
-- The time of expires_at is the database's, for everybody. What was asked for is dropped when the state is final.

-- name: InstantAgentInsert :one
INSERT INTO instant_agent (id, account_id, test, phone_number_id, company_name, agent_name, request, expires_at)
VALUES (@id, @account_id, @test, @phone_number_id, @company_name, @agent_name, @request, clock_timestamp() + make_interval(secs => @seconds::float8))
RETURNING *;

-- Requests that come at once do not see each other, and may be a few more together.
-- name: InstantAgentCountPending :one
SELECT count(*) FROM instant_agent WHERE account_id = @account_id AND status = 'pending' AND expires_at > clock_timestamp();

-- name: InstantAgentGet :one
SELECT sqlc.embed(instant_agent), phone_number.number AS phone_number,
    (instant_agent.status = 'pending' AND instant_agent.expires_at <= clock_timestamp())::boolean AS overdue
FROM instant_agent JOIN phone_number ON phone_number.id = instant_agent.phone_number_id
WHERE instant_agent.account_id = @account_id AND instant_agent.id = @id;

-- For the job: what is to be made, and how long there is for it.
-- name: InstantAgentGetPending :one
SELECT sqlc.embed(instant_agent), phone_number.number AS phone_number,
    extract(epoch FROM instant_agent.expires_at - clock_timestamp())::float8 AS seconds_left
FROM instant_agent JOIN phone_number ON phone_number.id = instant_agent.phone_number_id
WHERE instant_agent.id = @id AND instant_agent.status = 'pending';

-- The lock lets nobody else make or end it meanwhile.
-- name: InstantAgentLock :one
SELECT id FROM instant_agent WHERE id = @id AND status = 'pending' AND expires_at > clock_timestamp() FOR UPDATE;

-- name: InstantAgentSetReady :execrows
UPDATE instant_agent SET status = 'ready', assistant_id = @assistant_id::uuid, request = '{}', finished_at = clock_timestamp()
WHERE id = @id AND status = 'pending' AND expires_at > clock_timestamp();

-- name: InstantAgentSetFailed :execrows
UPDATE instant_agent SET status = 'failed', failure = @failure::text, error = @error::text, request = '{}', finished_at = clock_timestamp()
WHERE id = @id AND status = 'pending' AND expires_at > clock_timestamp();

-- name: InstantAgentExpire :execrows
UPDATE instant_agent SET status = 'expired', request = '{}', finished_at = clock_timestamp()
WHERE id = @id AND status = 'pending' AND expires_at <= clock_timestamp();

-- Idempotency keys, which lead here, are gone by then.
-- name: InstantAgentDeleteExpired :execrows
DELETE FROM instant_agent WHERE created_at <= now() - interval '25 hours';
