-- queued -> dialing -> ringing -> in-progress -> forwarding -> one final state:
-- completed, missed, busy, no-answer, voicemail, failed, canceled.
-- Every arrow is one compare-and-set here; a query that returns no row found that somebody else moved the call. A call that is dialing or
-- later belongs to the worker in worker_id, and only that worker moves it, or whoever found that worker dead. One that is dialing
-- goes back to queued when its INVITE has not left: invited_at is set before it may.
-- analysis of an ended call: NULL (none, or not yet begun) -> pending -> done | failed.

-- What direct calls would be, one row for each that can be made, by its position among those that are asked for. The assistant and the
-- contact are locked against their deletion and erasure, in one order. The numbers of an account's contacts are looked up, so
-- a call by number shows up with its contact. A call behind one that waits for a place waits for the same reason; one that was given back
-- waits for a reason of its own. For where the queue is looked at, and first_queued, see AccountListLoads.
-- name: CallPrepareDirectMany :many
WITH asked AS MATERIALIZED (
    SELECT unnest(@positions::integer[]) AS position, unnest(@account_ids::uuid[]) AS account_id, unnest(@assistant_ids::uuid[]) AS assistant_id,
        unnest(@contact_ids::uuid[]) AS contact_id, unnest(@phone_numbers::text[]) AS phone_number, unnest(@queued_from::uuid[]) AS queued_from
), queue AS MATERIALIZED (
    SELECT one.account_id, (
        SELECT queued.explanation FROM call AS queued
        WHERE queued.account_id = one.account_id AND queued.stage = 'queued' AND queued.id >= one.queued_from AND jsonb_array_length(queued.timeline) = 1
        ORDER BY queued.id LIMIT 1
    ) AS explanation, least((
        SELECT queued.id FROM call AS queued
        WHERE queued.account_id = one.account_id AND queued.stage = 'queued' AND queued.id >= one.queued_from ORDER BY queued.id LIMIT 1
    ), uuid_at(now() - interval '1 second')) AS first_queued
    FROM (SELECT DISTINCT asked.account_id, asked.queued_from FROM asked) AS one
)
SELECT asked.position::integer AS position, coalesce(queue.explanation, '')::text AS explanation, queue.first_queued::uuid AS first_queued, assistant.name AS assistant_name, phone_number.id AS phone_number_id, phone_number.number AS phone_number,
    coalesce(contact.id, '00000000-0000-0000-0000-000000000000')::uuid AS contact_id,
    coalesce(contact.phone_number, asked.phone_number)::text AS contact_phone_number
FROM asked JOIN queue ON queue.account_id = asked.account_id
JOIN assistant ON assistant.account_id = asked.account_id AND assistant.id = asked.assistant_id AND assistant.deleted_at IS NULL
JOIN phone_number_link ON phone_number_link.account_id = assistant.account_id AND phone_number_link.assistant_id = assistant.id
JOIN phone_number ON phone_number.id = phone_number_link.phone_number_id
LEFT JOIN LATERAL (
    SELECT found.id, found.phone_number FROM contact AS found
    WHERE found.account_id = asked.account_id AND found.deleted_at IS NULL AND (found.id = asked.contact_id OR found.phone_number = asked.phone_number)
    FOR KEY SHARE
) AS contact ON true
WHERE contact.id IS NOT NULL OR asked.phone_number <> ''
ORDER BY assistant.id
FOR SHARE OF assistant;

-- name: CallInsertDirectMany :many
WITH asked AS MATERIALIZED (
    SELECT unnest(@ids::uuid[]) AS id, unnest(@account_ids::uuid[]) AS account_id, unnest(@simulated::boolean[]) AS simulated,
        unnest(@assistant_ids::uuid[]) AS assistant_id, unnest(@assistant_names::text[]) AS assistant_name, unnest(@contact_ids::uuid[]) AS contact_id,
        unnest(@contact_phone_numbers::text[]) AS contact_phone_number, unnest(@phone_number_ids::uuid[]) AS phone_number_id,
        unnest(@phone_numbers::text[]) AS phone_number, unnest(@custom_data::jsonb[]) AS custom_data, unnest(@explanations::text[]) AS explanation,
        unnest(@traceparents::text[]) AS traceparent
)
INSERT INTO call (id, account_id, direction, status, simulated, assistant_id, assistant_name, contact_id, contact_name,
    contact_phone_number, phone_number_id, phone_number, custom_data, timeline, explanation, traceparent)
SELECT asked.id, asked.account_id, 'outbound', 'queued', asked.simulated, asked.assistant_id, asked.assistant_name, contact.id, contact.full_name,
    asked.contact_phone_number, asked.phone_number_id, asked.phone_number, asked.custom_data,
    jsonb_build_array(jsonb_build_object('status', 'queued', 'at', now())), nullif(asked.explanation, ''), nullif(asked.traceparent, '')
FROM asked LEFT JOIN contact ON contact.account_id = asked.account_id AND contact.id = asked.contact_id
ORDER BY asked.id
RETURNING *;

-- Scheduled calls whose assistant has no number any more, or whose assistant or contact is gone, make no call. A call that
-- is to be dialed at once is claimed as it is made; the others are queued, with the reason where there is one.
-- What is due is materialized first: from there everything is a look-up by key, whatever the planner knows of the tables.
-- name: CallInsertScheduledMany :many
WITH due AS MATERIALIZED (
    SELECT pair.call_id, pair.claimed, pair.explanation, pair.longest, scheduled_call.id, scheduled_call.account_id, scheduled_call.assistant_id,
        scheduled_call.contact_id, scheduled_call.simulated, scheduled_call.variables, scheduled_call.instruction
    FROM (SELECT unnest(@scheduled_call_ids::uuid[]) AS scheduled_call_id, unnest(@call_ids::uuid[]) AS call_id,
        unnest(@claimed::boolean[]) AS claimed, unnest(@explanations::text[]) AS explanation, unnest(@longest::integer[]) AS longest) AS pair
    JOIN scheduled_call ON scheduled_call.id = pair.scheduled_call_id
)
INSERT INTO call (id, account_id, direction, status, simulated, assistant_id, assistant_name, contact_id, contact_name,
    contact_phone_number, phone_number_id, phone_number, scheduled_call_id, variables, instruction, explanation, worker_id, sip_call_id,
    assistant_config, assistant_version_id, reserved_seconds, timeline)
SELECT due.call_id, due.account_id, 'outbound', CASE WHEN due.claimed THEN 'dialing' ELSE 'queued' END, due.simulated, assistant.id, assistant.name,
    contact.id, contact.full_name, contact.phone_number, phone_number.id, phone_number.number, due.id,
    due.variables, due.instruction, nullif(due.explanation, ''), CASE WHEN due.claimed THEN @worker_id::text END,
    CASE WHEN due.claimed THEN gen_random_uuid()::text END, CASE WHEN due.claimed AND NOT @by_version::boolean THEN assistant.config END,
    CASE WHEN due.claimed AND @by_version THEN assistant.version_id END,
    CASE WHEN due.claimed AND NOT due.simulated THEN least(coalesce((assistant.config ->> 'max_duration_seconds')::integer, 600), due.longest) END,
    jsonb_build_array(jsonb_build_object('status', 'queued', 'at', now()))
        || CASE WHEN due.claimed THEN jsonb_build_array(jsonb_build_object('status', 'dialing', 'at', now())) ELSE '[]' END
FROM due
JOIN assistant ON assistant.account_id = due.account_id AND assistant.id = due.assistant_id AND assistant.deleted_at IS NULL
JOIN contact ON contact.account_id = due.account_id AND contact.id = due.contact_id AND contact.deleted_at IS NULL
JOIN phone_number_link ON phone_number_link.account_id = due.account_id AND phone_number_link.assistant_id = due.assistant_id
JOIN phone_number ON phone_number.id = phone_number_link.phone_number_id
FOR KEY SHARE OF contact
RETURNING *;

-- A call that its customer deleted is not there.
-- name: CallGet :one
SELECT * FROM call WHERE account_id = @account_id AND id = @id AND deleted_at IS NULL;

-- By id alone, for the jobs of the calls themselves.
-- name: CallListByID :many
SELECT * FROM call WHERE id = ANY (@ids::uuid[]) ORDER BY id;

-- name: CallTurnListMany :many
SELECT * FROM call_turn WHERE call_id = ANY (@call_ids::uuid[]) ORDER BY call_id, position;

-- Claims the calls of each account that wait longest, as many as it has places. Those that are not simulated last no longer than the
-- share of the account's minutes that each gets; where that is 0 they wait. The assistant's configuration is pinned here, when
-- the call starts.
-- name: CallClaimMany :many
UPDATE call SET status = 'dialing', claimed = nextval('call_claim'), worker_id = @worker_id, sip_call_id = gen_random_uuid()::text, explanation = NULL,
    assistant_config = CASE WHEN NOT @by_version::boolean THEN assistant.config END,
    assistant_version_id = CASE WHEN @by_version THEN assistant.version_id END, assistant_name = assistant.name,
    reserved_seconds = CASE WHEN NOT call.simulated THEN least(coalesce((assistant.config ->> 'max_duration_seconds')::integer, 600), share.longest) END,
    timeline = call.timeline || jsonb_build_object('status', 'dialing', 'at', now()), updated_at = now()
FROM (SELECT unnest(@account_ids::uuid[]) AS account_id, unnest(@places::integer[]) AS places, unnest(@longest::integer[]) AS longest,
    unnest(@queued_from::uuid[]) AS queued_from) AS share
CROSS JOIN LATERAL (
    SELECT queued.id FROM call AS queued
    WHERE queued.account_id = share.account_id AND queued.stage = 'queued' AND queued.id >= share.queued_from AND (queued.not_before IS NULL OR queued.not_before <= now())
        AND (queued.simulated OR share.longest > 0)
    ORDER BY queued.id LIMIT share.places
) AS oldest, assistant
WHERE call.id = oldest.id AND call.status = 'queued'
    AND assistant.account_id = call.account_id AND assistant.id = call.assistant_id
RETURNING call.*;

-- Ends the queued calls of accounts that may not dial any more, simulated ones only where these may not either.
-- name: CallRefuseQueuedMany :many
UPDATE call SET status = 'failed', ended_at = now(), ended_reason = spent.ended_reason, ended_fault = spent.ended_fault, error = spent.error, explanation = NULL,
    timeline = call.timeline || jsonb_build_object('status', 'failed', 'at', now()), updated_at = now()
FROM (SELECT unnest(@account_ids::uuid[]) AS account_id, unnest(@ended_reasons::text[]) AS ended_reason, unnest(@ended_faults::text[]) AS ended_fault,
    unnest(@errors::text[]) AS error, unnest(@simulated_too::boolean[]) AS simulated_too) AS spent
CROSS JOIN LATERAL (
    SELECT queued.id FROM call AS queued
    WHERE queued.account_id = spent.account_id AND queued.stage = 'queued' AND (spent.simulated_too OR NOT queued.simulated)
        AND (queued.not_before IS NULL OR queued.not_before <= now())
    ORDER BY queued.id LIMIT 1000
) AS oldest
WHERE call.id = oldest.id AND call.status = 'queued'
RETURNING call.*;

-- name: CallListNextQueued :many
SELECT oldest.id, oldest.account_id
FROM (SELECT unnest(@account_ids::uuid[]) AS account_id, unnest(@places::integer[]) AS places, unnest(@queued_from::uuid[]) AS queued_from) AS share
CROSS JOIN LATERAL (
    SELECT call.id, call.account_id FROM call
    WHERE call.account_id = share.account_id AND call.stage = 'queued' AND call.id >= share.queued_from AND (call.not_before IS NULL OR call.not_before <= now())
    ORDER BY call.id LIMIT share.places
) AS oldest;

-- name: CallExplainMany :exec
UPDATE call SET explanation = reason.explanation, updated_at = now()
FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@explanations::text[]) AS explanation) AS reason
WHERE call.id = reason.id AND call.status = 'queued' AND call.explanation IS DISTINCT FROM reason.explanation;

-- Says that the INVITEs of calls may leave from now on, and with what their recordings are sealed.
-- name: CallSetInvitedMany :many
UPDATE call SET invited_at = now(), recording_secret = invitation.recording_secret
FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@recording_secrets::text[]) AS recording_secret) AS invitation
WHERE call.id = invitation.id AND call.worker_id = @worker_id AND call.status = 'dialing' AND call.invited_at IS NULL
RETURNING call.id;

-- When calls may dial, by the database's clock, where they were scheduled.
-- name: CallListSchedules :many
SELECT call.id, scheduled_call.scheduled_time, scheduled_call."window", now()::timestamptz AS now
FROM call LEFT JOIN scheduled_call ON scheduled_call.account_id = call.account_id AND scheduled_call.id = call.scheduled_call_id
WHERE call.id = ANY (@ids::uuid[]);

-- Takes claims back: of calls whose INVITE may have left only where the caller knows better. What was erased is not dialed again.
-- name: CallRequeueMany :many
UPDATE call SET status = 'queued', worker_id = NULL, sip_call_id = NULL, assistant_config = NULL, assistant_version_id = NULL, invited_at = NULL,
    reserved_seconds = NULL,
    explanation = nullif(@explanation::text, ''), not_before = nullif(again.not_before, 'epoch'), timeline = call.timeline || jsonb_build_object('status', 'queued', 'at', now()), updated_at = now()
FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@not_before::timestamptz[]) AS not_before) AS again
WHERE call.id = again.id AND call.worker_id = @worker_id AND call.status = 'dialing' AND call.direction = 'outbound'
    AND call.erased_at IS NULL AND (call.invited_at IS NULL OR @not_sent::boolean)
RETURNING call.*;

-- What happens in a call is written when Postgres is there, and happened age seconds before. No step of a timeline is earlier than the
-- one before it.

-- Many calls may ring or be answered at once. A JSON null stands for no dialog.
-- name: CallProgressMany :many
UPDATE call SET status = step.status,
    started_at = CASE WHEN step.status = 'in-progress' THEN greatest((call.timeline->-1->>'at')::timestamptz, now() - make_interval(secs => step.age)) END,
    sip_dialog = nullif(step.sip_dialog, 'null'::jsonb),
    timeline = call.timeline || jsonb_build_object('status', step.status,
        'at', greatest((call.timeline->-1->>'at')::timestamptz, now() - make_interval(secs => step.age))), updated_at = now()
FROM (
    SELECT unnest(@ids::uuid[]) AS id, unnest(@statuses::text[]) AS status, unnest(@sip_dialogs::jsonb[]) AS sip_dialog,
        unnest(@ages::double precision[]) AS age
) AS step
WHERE call.id = step.id AND call.worker_id = @worker_id
    AND (call.status = 'dialing' OR call.status = 'ringing' AND step.status = 'in-progress')
RETURNING call.*;

-- in-progress -> forwarding to somebody -> in-progress again, when the transfer fails: then it goes to nobody.
-- name: CallSetForwarding :one
UPDATE call SET status = CASE WHEN @destination::text <> '' THEN 'forwarding' ELSE 'in-progress' END, transferred_to = nullif(@destination, ''),
    timeline = timeline || (jsonb_build_object('status', CASE WHEN @destination <> '' THEN 'forwarding' ELSE 'in-progress' END,
            'at', greatest((timeline->-1->>'at')::timestamptz, now() - make_interval(secs => @age::double precision)))
        || CASE WHEN @destination <> '' THEN jsonb_build_object('destination', @destination) ELSE '{}' END), updated_at = now()
WHERE id = @id AND worker_id = @worker_id AND status = CASE WHEN @destination <> '' THEN 'in-progress' ELSE 'forwarding' END
RETURNING *;

-- Holds those of the calls that are this worker's and live, so that nobody else ends them before the transaction does.
-- name: CallHoldMany :many
SELECT id FROM call
WHERE id = ANY (@ids::uuid[]) AND worker_id = @worker_id AND stage = 'live'
ORDER BY id FOR SHARE;

-- Many calls may end at once. Empty texts, sip_code 0 and a JSON null stand for nothing. transferred_to stays only where
-- the call ends by its transfer: a caller may also hang up meanwhile. sip_dialog stays only where somebody else is to hang up.
-- name: CallEndMany :many
UPDATE call SET status = ending.status, ended_reason = ending.ended_reason, ended_fault = ending.ended_fault,
    sip_code = nullif(ending.sip_code, 0), error = nullif(ending.error, ''), latency = nullif(ending.latency, 'null'::jsonb),
    recording_key = nullif(ending.recording_key, ''), media = nullif(ending.media, 'null'::jsonb),
    providers = nullif(ending.providers, 'null'::jsonb), sip_dialog = CASE WHEN ending.ended_reason = 'worker-lost' THEN call.sip_dialog END,
    transferred_to = CASE WHEN ending.ended_reason IN ('assistant-forwarded-call', 'assistant-request-returned-forwarding-phone-number')
        THEN call.transferred_to END,
    ended_at = greatest((call.timeline->-1->>'at')::timestamptz, now() - make_interval(secs => ending.age)),
    timeline = short_timeline(call.timeline || jsonb_build_object('status', ending.status,
        'at', greatest((call.timeline->-1->>'at')::timestamptz, now() - make_interval(secs => ending.age))), @short::boolean), updated_at = now()
FROM (
    SELECT unnest(@ids::uuid[]) AS id, unnest(@statuses::text[]) AS status, unnest(@ended_reasons::text[]) AS ended_reason,
        unnest(@ended_faults::text[]) AS ended_fault, unnest(@sip_codes::integer[]) AS sip_code, unnest(@errors::text[]) AS error,
        unnest(@latencies::jsonb[]) AS latency, unnest(@recording_keys::text[]) AS recording_key,
        unnest(@medias::jsonb[]) AS media, unnest(@providers::jsonb[]) AS providers, unnest(@ages::double precision[]) AS age
) AS ending
WHERE call.id = ending.id AND call.worker_id = @worker_id AND call.stage = 'live'
RETURNING call.*;

-- A recording that lacks something may be noted twice, and after one that was thought to lack nothing.
-- name: CallKeepRecording :execrows
UPDATE call SET recording_key = @recording_key, recording_missing_seconds = sqlc.narg('missing_seconds')::double precision, updated_at = now()
WHERE account_id = @account_id AND id = @id AND ended_at IS NOT NULL AND erased_at IS NULL
    AND (recording_key IS NULL OR sqlc.narg('missing_seconds')::double precision IS NOT NULL);

-- name: CallMayHaveRecording :one
SELECT EXISTS (SELECT FROM call WHERE account_id = @account_id AND id = @id AND erased_at IS NULL);

-- name: CallListByDraft :many
SELECT id, account_id, started_at, ended_at, erased_at, recording_key, recording_secret FROM call WHERE id = ANY (@ids::uuid[]);

-- name: CallStartAnalysis :many
UPDATE call SET analysis = 'pending', updated_at = now()
WHERE id = ANY (@ids::uuid[]) AND ended_at IS NOT NULL AND analysis IS NULL
RETURNING id;

-- What is known already stays: an attempt may add to what one before it found. found is a list of objects, which lack what was not found.
-- name: CallSaveAnalyses :many
UPDATE call SET analysis = found.analysis, analysis_error = found.analysis_error, summary = coalesce(call.summary, found.summary),
    success_evaluation = coalesce(call.success_evaluation, found.success_evaluation),
    structured_data = coalesce(call.structured_data, found.structured_data),
    structured_data_multi = coalesce(call.structured_data_multi, found.structured_data_multi), updated_at = now()
FROM jsonb_to_recordset(@found::jsonb) AS found (id uuid, analysis text, analysis_error text, summary text, success_evaluation text,
    structured_data jsonb, structured_data_multi jsonb)
WHERE call.id = found.id AND call.analysis = 'pending'
RETURNING call.*;

-- name: CallCancel :one
UPDATE call SET status = 'canceled', ended_at = now(), ended_reason = @ended_reason, ended_fault = @ended_fault, explanation = NULL,
    timeline = timeline || jsonb_build_object('status', 'canceled', 'at', now()), updated_at = now()
WHERE account_id = @account_id AND id = @id AND status = 'queued'
RETURNING *;

-- name: CallLock :one
SELECT * FROM call WHERE account_id = @account_id AND id = @id FOR NO KEY UPDATE;

-- name: CallSetContact :exec
UPDATE call SET contact_id = @contact_id, updated_at = now()
WHERE account_id = @account_id AND id = @id AND contact_id IS NULL AND erased_at IS NULL;

-- Hides an ended call. Its row stays: a scheduled call may refer to it, and its report may still be under way.
-- name: CallDelete :one
UPDATE call SET deleted_at = now(), updated_at = now()
WHERE account_id = @account_id AND id = @id AND deleted_at IS NULL AND ended_at IS NOT NULL
RETURNING *;

-- name: CallGetDeleted :one
SELECT call.account_id, (coalesce(call.ended_at < now() - interval '3 days', false) OR EXISTS (SELECT FROM event WHERE event.call_id = call.id AND event.type = 'end-of-call-report'))::boolean AS reported
FROM call WHERE call.id = @id AND call.deleted_at IS NOT NULL
FOR UPDATE;

-- name: CallListLive :many
SELECT * FROM call
WHERE worker_id = @worker_id AND stage = 'live'
ORDER BY id LIMIT @max::int;

-- name: CallListLiveIDs :many
SELECT id FROM call
WHERE worker_id = @worker_id AND stage = 'live'
LIMIT 100000;

-- Returns the turns that are new, and whether somebody watches their calls.
-- name: CallTurnInsertMany :many
INSERT INTO call_turn (call_id, position, account_id, role, text, seconds_from_start, interrupted, timing, usage, speaker)
SELECT unnest(@call_ids::uuid[]), unnest(@positions::integer[]), unnest(@account_ids::uuid[]), unnest(@roles::text[]), unnest(@texts::text[]),
    unnest(@seconds_from_start::double precision[]), unnest(@interrupted::boolean[]), nullif(unnest(@timings::jsonb[]), 'null'::jsonb),
    nullif(unnest(@usages::jsonb[]), 'null'::jsonb), nullif(unnest(@speakers::text[]), '')
ON CONFLICT (call_id, position) DO NOTHING
RETURNING call_id, position,
    EXISTS (SELECT FROM call_watch WHERE call_watch.account_id = call_turn.account_id AND call_watch.call_id = call_turn.call_id AND call_watch.expires_at > now()) AS watched;

-- Does so with turns of calls that are this worker's and live, and returns these calls: nobody else ends them before.
-- name: CallTurnInsertHeld :many
WITH said AS (
    SELECT unnest(@call_ids::uuid[]) AS call_id, unnest(@positions::integer[]) AS position, unnest(@account_ids::uuid[]) AS account_id,
        unnest(@roles::text[]) AS role, unnest(@texts::text[]) AS text, unnest(@seconds_from_start::double precision[]) AS seconds_from_start,
        unnest(@interrupted::boolean[]) AS interrupted, nullif(unnest(@timings::jsonb[]), 'null'::jsonb) AS timing,
        nullif(unnest(@usages::jsonb[]), 'null'::jsonb) AS usage, nullif(unnest(@speakers::text[]), '') AS speaker
), held AS MATERIALIZED (
    SELECT call.id, call.account_id FROM call WHERE call.id = ANY (@call_ids::uuid[]) AND call.worker_id = @worker_id AND call.stage = 'live'
    ORDER BY call.id FOR SHARE
), written AS (
    INSERT INTO call_turn (call_id, position, account_id, role, text, seconds_from_start, interrupted, timing, usage, speaker)
    SELECT said.call_id, said.position, said.account_id, said.role, said.text, said.seconds_from_start, said.interrupted, said.timing, said.usage, said.speaker
    FROM said JOIN held ON held.id = said.call_id
    ON CONFLICT (call_id, position) DO NOTHING
)
SELECT held.id, EXISTS (SELECT FROM call_watch WHERE call_watch.account_id = held.account_id AND call_watch.call_id = held.id AND call_watch.expires_at > now()) AS watched FROM held;

-- Turns from a position on.
-- name: CallTurnListFrom :many
SELECT * FROM call_turn WHERE account_id = @account_id AND call_id = @call_id AND position >= @from_position ORDER BY position LIMIT @max::int;

-- name: CallTurnList :many
SELECT * FROM call_turn WHERE account_id = @account_id AND call_id = @call_id ORDER BY position LIMIT 10000;

-- The lists show newest calls first, by created_at and id, those before (until, until_id). Each kind of filter has the query
-- that walks its own index; of several statuses the newest of each are merged. Pages are found in the index alone.
-- name: CallList :many
SELECT call.* FROM (
    SELECT c.id FROM call AS c
    WHERE c.account_id = @account_id AND c.deleted_at IS NULL
        AND c.created_at >= @since AND (c.created_at, c.id) < (@until::timestamptz, @until_id::uuid)
    ORDER BY c.created_at DESC, c.id DESC LIMIT @max::int OFFSET @skip::int
) AS page JOIN call ON call.account_id = @account_id AND call.id = page.id
ORDER BY call.created_at DESC, call.id DESC;

-- Among the calls whose stage is live the one or the other status is looked for; else the stage is the status.
-- name: CallListByStatus :many
SELECT call.* FROM (
    (SELECT c.id FROM call AS c
    WHERE c.account_id = @account_id AND c.stage = @status AND c.deleted_at IS NULL
        AND c.created_at >= @since AND (c.created_at, c.id) < (@until::timestamptz, @until_id::uuid)
    ORDER BY c.created_at DESC, c.id DESC LIMIT @max::int OFFSET @skip::int)
    UNION ALL
    (SELECT c.id FROM call AS c
    WHERE call_stage(@status) = 'live' AND c.account_id = @account_id AND c.stage = 'live' AND c.status = @status AND c.deleted_at IS NULL
        AND c.created_at >= @since AND (c.created_at, c.id) < (@until::timestamptz, @until_id::uuid)
    ORDER BY c.created_at DESC, c.id DESC LIMIT @max::int OFFSET @skip::int)
) AS page JOIN call ON call.account_id = @account_id AND call.id = page.id
ORDER BY call.created_at DESC, call.id DESC;

-- The page has ids of the assistant's calls, whoever asks: the rows are those of the account.
-- name: CallListByAssistant :many
SELECT call.* FROM (
    SELECT newest.id FROM unnest(@statuses::text[]) AS one (status) CROSS JOIN LATERAL (
        (SELECT c.id, c.created_at FROM call AS c
        WHERE c.assistant_id = @assistant_id AND c.stage = one.status AND c.deleted_at IS NULL
            AND c.created_at >= @since AND (c.created_at, c.id) < (@until::timestamptz, @until_id::uuid)
        ORDER BY c.created_at DESC, c.id DESC LIMIT @reach::int)
        UNION ALL
        (SELECT c.id, c.created_at FROM call AS c
        WHERE call_stage(one.status) = 'live' AND c.assistant_id = @assistant_id AND c.stage = 'live'
            AND c.status = one.status AND c.deleted_at IS NULL
            AND c.created_at >= @since AND (c.created_at, c.id) < (@until::timestamptz, @until_id::uuid)
        ORDER BY c.created_at DESC, c.id DESC LIMIT @reach::int)
    ) AS newest
    ORDER BY newest.created_at DESC, newest.id DESC LIMIT @max::int OFFSET @skip::int
) AS page JOIN call ON call.account_id = @account_id AND call.id = page.id
ORDER BY call.created_at DESC, call.id DESC;

-- name: CallListByContact :many
SELECT call.* FROM (
    SELECT c.id FROM call AS c
    WHERE c.account_id = @account_id AND c.contact_id = @contact_id AND c.deleted_at IS NULL
        AND (sqlc.narg('assistant_id')::uuid IS NULL OR c.assistant_id = sqlc.narg('assistant_id')) AND c.status = ANY (@statuses::text[])
        AND c.created_at >= @since AND (c.created_at, c.id) < (@until::timestamptz, @until_id::uuid)
    ORDER BY c.created_at DESC, c.id DESC LIMIT @max::int OFFSET @skip::int
) AS page JOIN call ON call.account_id = @account_id AND call.id = page.id
ORDER BY call.created_at DESC, call.id DESC;

-- since and before begin days in UTC, as the buckets of list_count do. Live calls are counted where they stand.
-- name: CallCount :one
SELECT (
    coalesce((
        SELECT sum(n) FROM list_count AS counted
        WHERE counted.account_id = @account_id AND counted.list = 'call' AND part = coalesce(sqlc.narg('assistant_id')::uuid::text, '')
            AND status = ANY (@statuses::text[]) AND bucket >= utc_day(@since::timestamptz) AND bucket < utc_day(@before::timestamptz)
    ), 0) + coalesce((
        SELECT sum(n) FROM list_count_delta AS delta
        WHERE delta.account_id = @account_id AND delta.list = 'call' AND (sqlc.narg('assistant_id')::uuid IS NULL OR part = sqlc.narg('assistant_id')::uuid::text)
            AND status = ANY (@statuses::text[]) AND bucket >= utc_day(@since::timestamptz) AND bucket < utc_day(@before::timestamptz)
    ), 0) + (
        SELECT count(*) FROM call
        WHERE call.account_id = @account_id AND deleted_at IS NULL AND (sqlc.narg('assistant_id')::uuid IS NULL OR assistant_id = sqlc.narg('assistant_id'))
            AND stage = 'live' AND status = ANY (@statuses::text[])
            AND created_at >= @since AND created_at < @before
    )
)::bigint AS total;

-- The calls with one person are few enough to count.
-- name: CallCountByContact :one
SELECT count(*) FROM call
WHERE account_id = @account_id AND contact_id = @contact_id AND deleted_at IS NULL
    AND (sqlc.narg('assistant_id')::uuid IS NULL OR assistant_id = sqlc.narg('assistant_id')) AND status = ANY (@statuses::text[])
    AND created_at >= @since AND created_at < @before;

-- What is there of what calls need that cannot be made, by their positions.
-- name: CallDiagnoseMany :many
SELECT asked.position::integer AS position,
    EXISTS (SELECT FROM assistant WHERE assistant.account_id = asked.account_id AND assistant.id = asked.assistant_id AND assistant.deleted_at IS NULL) AS assistant,
    EXISTS (SELECT FROM phone_number_link WHERE phone_number_link.account_id = asked.account_id AND phone_number_link.assistant_id = asked.assistant_id) AS number
FROM (SELECT unnest(@positions::integer[]) AS position, unnest(@account_ids::uuid[]) AS account_id, unnest(@assistant_ids::uuid[]) AS assistant_id) AS asked;

-- What followed from calls besides their records: appointments, text messages and mail, in the order in which they were made; and what
-- they used.
-- name: CallFollowUpListMany :many
SELECT followed.call_id::uuid AS call_id, followed.type::text AS type, followed.id::uuid AS id, followed.status::text AS status, followed.detail::jsonb AS detail
FROM (
    SELECT appointment.call_id, 'appointment' AS type, appointment.id, 'completed' AS status,
        jsonb_build_object('name', appointment.type, 'startsAt', appointment.starts_at, 'endsAt', appointment.ends_at) AS detail
    FROM appointment WHERE appointment.call_id = ANY (@call_ids::uuid[])
    UNION ALL
    SELECT sms.call_id, 'sms', sms.id, sms.status, jsonb_build_object('to', sms.recipient) FROM sms WHERE sms.call_id = ANY (@call_ids::uuid[])
    UNION ALL
    SELECT mail.call_id, 'email', mail.id, mail.status, jsonb_build_object('to', mail.recipient) FROM mail WHERE mail.call_id = ANY (@call_ids::uuid[])
    UNION ALL
    SELECT call_usage.call_id, 'usage', call_usage.call_id, '', call_usage.items FROM call_usage WHERE call_usage.call_id = ANY (@call_ids::uuid[])
) AS followed
ORDER BY followed.call_id, followed.id;
