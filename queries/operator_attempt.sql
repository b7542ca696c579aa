-- Counts a wrong password. From the tenth on each doubles the time that the address waits, from half a minute to an hour; a
-- day without one forgets them. No row: the address waits already.
-- name: OperatorAttemptFail :one
INSERT INTO operator_attempt AS a (address) VALUES (@address::inet)
ON CONFLICT (address) DO UPDATE SET
    failures = CASE WHEN a.failed_at < now() - interval '1 day' THEN 1 ELSE a.failures + 1 END,
    failed_at = now(),
    waits_until = CASE
        WHEN a.failed_at >= now() - interval '1 day' AND a.failures >= 9
            THEN now() + least(interval '1 hour', interval '30 seconds' * (2 ^ least(a.failures - 9, 10)))
        ELSE a.waits_until END
WHERE a.waits_until <= clock_timestamp()
RETURNING a.failures;

-- For how many seconds the address waits. The lock has it wait for wrong passwords that are being counted.
-- name: OperatorAttemptGetWait :one
SELECT ceil(extract(epoch FROM waits_until - clock_timestamp()))::integer FROM operator_attempt
WHERE address = @address::inet FOR SHARE;

-- name: OperatorAttemptDeleteExpired :execrows
DELETE FROM operator_attempt WHERE failed_at < now() - interval '1 day';
