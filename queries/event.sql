-- An event is written in the transaction of its fact, with its number if the account's counter is free, and is numbered right after
-- commit if not: the counter row's lock lets one transaction per account number at a time, and no writer of facts ever waits for
-- it.
-- delivery: none (nobody subscribed), pending -> delivered | dead; any -> pending by a redelivery, which raises redelivery and
-- resets failed_attempts.
-- waits_for is the failing endpoint whose recovery a pending event waits for, due_at the time of its next attempt all the same,
-- wake_at the time before which nobody wakes it, and job_id its sleeping job, NULL from when that is woken until it sleeps again.

-- Its destination is the assistant's own server, else the account's webhook; pending when that one wants this type. What
-- is optional is written only where the destination's list names it, whether there is a URL or not.
-- The transaction gets its id before it draws positions, which number_events relies on.
-- A fact that is written already, by its id or as its call's second end-of-call-report, writes nothing and returns no row.
-- What is pending is queued for its destination, except of questions, which are asked by whoever wrote them.
-- A message is packed (db/packed), or JSON as it is.
-- name: EventInsertMany :many
WITH fact AS MATERIALIZED (
    SELECT given.*, destination.id AS endpoint_id,
        CASE WHEN destination.url IS NOT NULL AND destination.enabled AND given.type = ANY (destination.events) THEN 'pending' ELSE 'none' END AS delivery
    FROM (
        SELECT unnest(@ids::uuid[]) AS id, unnest(@account_ids::uuid[]) AS account_id, unnest(@types::text[]) AS type,
            unnest(@call_ids::uuid[]) AS call_id, unnest(@messages::bytea[]) AS message, unnest(@assistant_ids::uuid[]) AS assistant_id,
            unnest(@optional::boolean[]) AS optional
    ) AS given LEFT JOIN LATERAL (
        SELECT endpoint.id, endpoint.url, endpoint.enabled, endpoint.events FROM webhook_endpoint AS endpoint
        WHERE endpoint.account_id = given.account_id
            AND (endpoint.assistant_id = given.assistant_id AND endpoint.url IS NOT NULL OR endpoint.assistant_id IS NULL)
        ORDER BY endpoint.assistant_id NULLS LAST LIMIT 1
    ) AS destination ON true
    WHERE (NOT given.optional OR given.type = ANY (destination.events)) AND pg_current_xact_id() IS NOT NULL
), written AS (
    INSERT INTO event (id, account_id, type, call_id, payload, packed, delivery)
    SELECT fact.id, fact.account_id, fact.type, nullif(fact.call_id, '00000000-0000-0000-0000-000000000000'),
        CASE WHEN get_byte(fact.message, 0) = ascii('{') THEN convert_from(fact.message, 'UTF8')::jsonb END,
        CASE WHEN get_byte(fact.message, 0) <> ascii('{') THEN fact.message END, fact.delivery
    FROM fact
    ON CONFLICT DO NOTHING
    RETURNING id, account_id, call_id, position, delivery
), queued AS (
    INSERT INTO delivery_queue (endpoint_id, position, event_id, account_id, call_id)
    SELECT fact.endpoint_id, written.position, written.id, written.account_id, written.call_id FROM written JOIN fact ON fact.id = written.id
    WHERE written.delivery = 'pending' AND NOT @asked::boolean
)
SELECT id, delivery FROM written;

-- Writes events that have new ids, where they can with their numbers; see the function. A call's second end-of-call-report writes
-- nothing and returns no row.
-- name: EventRecordMany :many
SELECT written.id::uuid AS id, written.delivery::text AS delivery FROM record_events(
    @ids::uuid[], @account_ids::uuid[], @types::text[], @call_ids::uuid[], @messages::bytea[], @assistant_ids::uuid[], @optional::boolean[]
) AS written;

-- Numbers the oldest unnumbered events of accounts, in the order of their facts; see the function.
-- name: EventNumber :exec
SELECT FROM number_events(@account_ids::uuid[], true);

-- The same, except of accounts whose events others are numbering. It returns these.
-- name: EventNumberFree :many
SELECT number_events(@account_ids::uuid[], false)::uuid AS account_id;

-- The accounts that have unnumbered events, each with its oldest, and the newest event at all, beside the transactions that are over and
-- that have begun: see events.Unnumbered. There is one row at least.
-- name: EventLookForUnnumbered :many
SELECT seen.newest::bigint AS newest, pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS over, pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS begun,
    coalesce(found.account_id, '00000000-0000-0000-0000-000000000000')::uuid AS account_id, coalesce(found.oldest, 0)::bigint AS oldest
FROM (SELECT coalesce(max(event.position), 0) AS newest FROM event) AS seen LEFT JOIN (
    SELECT event.account_id, min(event.position) AS oldest FROM event WHERE event.sequence IS NULL GROUP BY event.account_id
) AS found ON true;

-- The same of events behind a position, which are walked by their positions: the index of unnumbered ones holds all that were, for as
-- long as somebody has an old snapshot open.
-- name: EventLookForLate :many
WITH late AS MATERIALIZED (
    SELECT event.account_id, event.position, event.sequence FROM event WHERE event.position >= @behind ORDER BY event.position LIMIT 40000
)
SELECT coalesce((SELECT max(late.position) FROM late), 0)::bigint AS newest, pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS over,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS begun,
    coalesce(found.account_id, '00000000-0000-0000-0000-000000000000')::uuid AS account_id, coalesce(found.oldest, 0)::bigint AS oldest
FROM (SELECT 1) AS one LEFT JOIN (SELECT late.account_id, min(late.position) AS oldest FROM late WHERE late.sequence IS NULL GROUP BY late.account_id) AS found ON true;

-- behind: an earlier event of the call waits for its failing endpoint. ahead: how many earlier ones are on their way and were
-- not attempted yet, of the 30 before this one, each of which looks at the 30 before it. One that is not attempted for five
-- minutes keeps no others back.
-- name: EventListForDelivery :many
SELECT event.id, event.account_id, event.sequence, coalesce(event.payload::text, encode(event.packed, 'base64'))::text AS payload, event.delivery, event.redelivery, event.failed_attempts,
    event.pending_since, event.waits_for, event.due_at, event.call_id, call.assistant_id, call.traceparent, EXISTS (
        SELECT FROM event AS earlier WHERE earlier.call_id = event.call_id AND earlier.waits_for IS NOT NULL AND earlier.position < event.position
            AND earlier.delivery = 'pending' AND earlier.failed_attempts < 6
    ) AS behind, (
        SELECT count(*) FROM (
            SELECT earlier.delivery, earlier.failed_attempts, earlier.waits_for, earlier.pending_since FROM event AS earlier
            WHERE earlier.account_id = event.account_id AND earlier.call_id = event.call_id AND earlier.sequence < event.sequence
            ORDER BY earlier.sequence DESC LIMIT 30
        ) AS earlier
        WHERE earlier.delivery = 'pending' AND earlier.failed_attempts = 0 AND earlier.waits_for IS NULL
            AND earlier.pending_since > now() - interval '5 minutes'
    ) AS ahead
FROM event LEFT JOIN call ON call.account_id = event.account_id AND call.id = event.call_id
WHERE event.id = ANY (@ids::uuid[]);

-- Logs attempts and moves their events by them, together. verdict: pending (try again), delivered, dead, or early, which is a failure
-- before the event's time: it is no attempt. An attempt of
-- an earlier redelivery is logged without its response, since the event may have been erased, and moves nothing. status_code 0
-- and error '' stand for none. What was queued is so no more.
-- It is a function so that it is planned once.
-- name: EventRecordAttempts :exec
SELECT FROM record_attempts(
    @event_ids::uuid[], @redeliveries::integer[], @verdicts::text[], @urls::text[], @status_codes::integer[], @latencies_ms::integer[],
    @answers::text[], @errors::text[], @waits_for::uuid[], @job_ids::bigint[], @due_in::double precision[], @wake_in::double precision[],
    @queue_ids::uuid[], @positions::bigint[]
);

-- Has events wait for their failing endpoints, or behind an earlier event of their call that does.
-- name: EventHoldMany :exec
UPDATE event SET waits_for = held.endpoint_id, job_id = held.job_id, wake_at = coalesce(event.wake_at, now())
FROM (
    SELECT unnest(@ids::uuid[]) AS id, unnest(@redeliveries::integer[]) AS redelivery, unnest(@endpoint_ids::uuid[]) AS endpoint_id, unnest(@job_ids::bigint[]) AS job_id
) AS held
WHERE event.id = held.id AND event.redelivery = held.redelivery AND event.delivery = 'pending';

-- The endpoints that events wait for, found one by one in the index however many events wait for each.
-- name: EventListWaitedFor :many
WITH RECURSIVE waited AS (
    (SELECT event.waits_for AS id FROM event WHERE event.waits_for IS NOT NULL ORDER BY event.waits_for LIMIT 1)
    UNION ALL
    SELECT (SELECT event.waits_for FROM event WHERE event.waits_for > waited.id ORDER BY event.waits_for LIMIT 1) FROM waited WHERE waited.id IS NOT NULL
)
SELECT waited.id::uuid AS id FROM waited WHERE waited.id IS NOT NULL;

-- Wakes events that wait for endpoints: of one that fails and is to be probed the oldest, of one that is well the oldest of
-- each call, so that a call's events go out one after the other. At most 200 are on their way to an endpoint at once; more
-- follow as these are settled.
-- name: EventWake :execrows
WITH chosen AS (
    SELECT head.position, head.job_id FROM webhook_endpoint AS endpoint CROSS JOIN LATERAL (
        SELECT waiting.position, waiting.job_id, waiting.wake_at FROM event AS waiting
        WHERE waiting.waits_for = endpoint.id AND waiting.delivery = 'pending' AND NOT EXISTS (
            SELECT FROM event AS earlier WHERE earlier.call_id = waiting.call_id AND earlier.waits_for IS NOT NULL
                AND earlier.position < waiting.position AND earlier.delivery = 'pending' AND earlier.failed_attempts < 6)
            AND (endpoint.retry_at IS NULL OR waiting.job_id IS NOT NULL AND waiting.wake_at <= now())
        ORDER BY waiting.position
        LIMIT CASE WHEN endpoint.retry_at IS NULL THEN 200 WHEN endpoint.retry_at <= now() THEN 1 ELSE 0 END
    ) AS head
    WHERE endpoint.id = ANY (@endpoint_ids::uuid[]) AND head.job_id IS NOT NULL AND head.wake_at <= now()
), asleep AS (
    SELECT river_job.id FROM river_job JOIN chosen ON chosen.job_id = river_job.id
    WHERE river_job.state IN ('available', 'scheduled') AND river_job.scheduled_at > now()
    FOR UPDATE OF river_job SKIP LOCKED
), woken AS (
    UPDATE river_job SET state = 'available', scheduled_at = now() FROM asleep WHERE river_job.id = asleep.id RETURNING river_job.id
)
UPDATE event SET job_id = NULL FROM chosen JOIN woken ON woken.id = chosen.job_id WHERE event.position = chosen.position;

-- A question counts as unanswered until its response is logged; nothing sends it again by itself.
-- name: QuestionLog :exec
WITH asked AS (
    UPDATE event SET attempts = attempts + 1, delivery = @verdict WHERE id = @event_id RETURNING account_id, attempts
)
INSERT INTO delivery_attempt (account_id, event_id, attempt, url, status_code, latency_ms, answer, error)
SELECT asked.account_id, @event_id, asked.attempts, @url::text, nullif(@status_code::integer, 0), @latency_ms::integer, @answer::text,
    nullif(@error::text, '')
FROM asked;

-- Questions are never pending: they are asked once, by whoever wrote them.
-- name: EventWithdrawMany :exec
UPDATE event SET delivery = 'dead' WHERE id = ANY (@ids::uuid[]) AND delivery = 'pending';

-- Gives up an event that cannot be sent.
-- name: EventGiveUp :execrows
UPDATE event SET delivery = 'dead', waits_for = NULL WHERE id = @id AND delivery = 'pending' AND redelivery = @redelivery;

-- Begins a redelivery, except of questions, which are asked once. Its job is enqueued in the same transaction.
-- name: EventRedeliver :one
UPDATE event SET delivery = 'pending', redelivery = redelivery + 1, failed_attempts = 0, pending_since = now(), waits_for = NULL
WHERE account_id = @account_id AND id = @id AND sequence IS NOT NULL AND type <> ALL (@asked::text[])
RETURNING *;

-- Begins redeliveries, except of events that are pending.
-- name: EventRedeliverMany :many
UPDATE event SET delivery = 'pending', redelivery = redelivery + 1, failed_attempts = 0, pending_since = now(), waits_for = NULL
WHERE account_id = @account_id AND id = ANY (@ids::uuid[]) AND delivery <> 'pending'
RETURNING id, redelivery;

-- The number of the account's first event that is not older than a time, else of the next one to come: the numbers in between are
-- halved. They are nearly in the order of time; see events.replaySlack.
-- name: EventFindSequence :one
WITH RECURSIVE search AS (
    SELECT 0::bigint AS low, coalesce((SELECT event_counter.last FROM event_counter WHERE event_counter.account_id = @account_id), 0) + 1 AS high
    UNION ALL
    SELECT CASE WHEN probe.older THEN probe.middle + 1 ELSE probe.low END, CASE WHEN probe.older THEN probe.high ELSE probe.middle END
    FROM (
        SELECT half.low, half.high, half.middle, coalesce((
            SELECT event.created_at < @at::timestamptz FROM event
            WHERE event.account_id = @account_id AND event.sequence >= half.middle
            ORDER BY event.sequence LIMIT 1
        ), false) AS older
        FROM (SELECT search.low, search.high, (search.low + search.high) / 2 AS middle FROM search WHERE search.low < search.high) AS half
    ) AS probe
)
SELECT search.low::bigint AS sequence FROM search WHERE search.low = search.high;

-- What a replay sends again: events of a time, by the numbers between which they are, that are not pending and that their destination
-- wants now.
-- name: EventCountForReplay :one
SELECT count(*) FROM (
    SELECT 1 FROM event JOIN LATERAL (
        SELECT endpoint.enabled, endpoint.events FROM webhook_endpoint AS endpoint
        WHERE endpoint.account_id = event.account_id AND endpoint.url IS NOT NULL AND (endpoint.assistant_id IS NULL OR endpoint.assistant_id = (
            SELECT call.assistant_id FROM call WHERE call.account_id = event.account_id AND call.id = event.call_id))
        ORDER BY endpoint.assistant_id NULLS LAST LIMIT 1
    ) AS destination ON destination.enabled AND event.type = ANY (destination.events)
    WHERE event.account_id = @account_id AND event.sequence > @after::bigint AND event.sequence < @before::bigint AND event.delivery <> 'pending'
        AND event.created_at >= @since AND event.created_at < @until AND event.type <> ALL (@asked::text[])
    LIMIT @max::int
) AS replayed;

-- name: EventCountForCallReplay :one
SELECT count(*) FROM event JOIN call ON call.account_id = event.account_id AND call.id = event.call_id JOIN LATERAL (
    SELECT endpoint.enabled, endpoint.events FROM webhook_endpoint AS endpoint
    WHERE endpoint.account_id = event.account_id AND endpoint.url IS NOT NULL AND (endpoint.assistant_id IS NULL OR endpoint.assistant_id = call.assistant_id)
    ORDER BY endpoint.assistant_id NULLS LAST LIMIT 1
) AS destination ON destination.enabled AND event.type = ANY (destination.events)
WHERE event.account_id = @account_id AND event.call_id = @call_id::uuid AND event.sequence IS NOT NULL AND event.delivery <> 'pending'
    AND event.type <> ALL (@asked::text[]);

-- The next events of a replay. Processes of the version before go by time and position: what they began goes on behind those.
-- name: EventListForReplay :many
SELECT event.id, event.sequence::bigint AS sequence, event.type, call.assistant_id
FROM event LEFT JOIN call ON call.account_id = event.account_id AND call.id = event.call_id
WHERE event.account_id = @account_id AND event.sequence > @after::bigint AND event.sequence < @before::bigint
    AND (event.created_at, event.position) > (@after_time::timestamptz, @after_position::bigint) AND event.created_at < @until
ORDER BY event.sequence
LIMIT @max::int;

-- name: EventListForCallReplay :many
SELECT event.id, event.sequence::bigint AS sequence, event.type, call.assistant_id
FROM event JOIN call ON call.account_id = event.account_id AND call.id = event.call_id
WHERE event.account_id = @account_id AND event.call_id = @call_id::uuid AND event.sequence > @after::bigint
    AND (event.created_at, event.position) > (@after_time::timestamptz, @after_position::bigint)
ORDER BY event.sequence
LIMIT @max::int;

-- Numbered events after a cursor, in order. One query per filter: a plan for all of them would be a bad one for some.
-- name: EventList :many
SELECT * FROM event WHERE account_id = @account_id AND sequence > @after::bigint
ORDER BY sequence LIMIT @max::int;

-- The index of types has all but status updates, of which every call has some, so that they are near one another among the others.
-- name: EventListByType :many
SELECT * FROM event WHERE account_id = @account_id AND type = @type AND type <> 'status-update' AND sequence > @after::bigint
ORDER BY sequence LIMIT @max::int;

-- name: EventListStatusUpdates :many
SELECT * FROM event WHERE account_id = @account_id AND type = 'status-update' AND sequence > @after::bigint
ORDER BY sequence LIMIT @max::int;

-- name: EventListByCall :many
SELECT * FROM event
WHERE account_id = @account_id AND call_id = @call_id::uuid AND sequence > @after::bigint AND (@type::text = '' OR type = @type::text)
ORDER BY sequence LIMIT @max::int;

-- The sequence has no gaps, so the events behind a cursor, or behind the latest that was removed, need not be counted.
-- name: EventCount :one
SELECT coalesce((
    SELECT greatest(event_counter.last - greatest(@after::bigint, (SELECT retention_mark.events FROM retention_mark WHERE retention_mark.account_id = @account_id)), 0)
    FROM event_counter WHERE event_counter.account_id = @account_id
), 0)::bigint AS total;

-- The events behind a cursor are those that follow in its bucket, and all of the buckets after that one.
-- name: EventCountByType :one
SELECT (
    (
        SELECT count(*) FROM event
        WHERE event.account_id = @account_id AND event.type = @type AND event.sequence > @after::bigint AND event.sequence < @bucket_end::bigint
    ) + coalesce((
        SELECT sum(counted.n) FROM list_count AS counted
        WHERE counted.account_id = @account_id AND counted.list = 'event' AND counted.part = @type AND counted.status = '' AND counted.bucket > @bucket::integer
    ), 0) + coalesce((
        SELECT sum(delta.n) FROM list_count_delta AS delta
        WHERE delta.account_id = @account_id AND delta.list = 'event' AND delta.part = @type AND delta.bucket > @bucket::integer
    ), 0)
)::bigint AS total;

-- name: EventCountByCall :one
SELECT count(*) FROM event
WHERE account_id = @account_id AND call_id = @call_id::uuid AND sequence > @after::bigint AND (@type::text = '' OR type = @type::text);

-- name: EventGet :one
SELECT id FROM event WHERE account_id = @account_id AND id = @id AND sequence IS NOT NULL;

-- name: DeliveryAttemptList :many
SELECT * FROM delivery_attempt WHERE account_id = @account_id AND event_id = @event_id AND id < @before
ORDER BY id DESC
LIMIT @max::int OFFSET @skip::int;

-- name: DeliveryAttemptCount :one
SELECT count(*) FROM delivery_attempt WHERE account_id = @account_id AND event_id = @event_id;
