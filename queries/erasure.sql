-- What is kept of a person, a statement for each place; jobs/calls/erase.go runs them in one transaction. A table that begins
-- to keep what was said in a call, or to whom, adds its statement here and there.

-- The contact, whether deleted or not, and all others that ever had its number.
-- name: ErasureListContacts :many
SELECT same.id, same.phone_number, same.search_name FROM contact AS named JOIN contact AS same
    ON same.account_id = named.account_id AND same.erased_at IS NULL AND (same.id = named.id
        OR same.phone_number = named.phone_number AND same.deleted_at IS NULL
        OR same.phone_number = named.phone_number AND same.deleted_at IS NOT NULL)
WHERE named.account_id = @account_id AND named.id = @id AND named.erased_at IS NULL;

-- The calls of the contacts, and those by number alone. They are locked, so what is true of them stays so. reported: the report is
-- written, or may have been removed as too old.
-- name: ErasureListCalls :many
WITH theirs AS (
    SELECT call.id FROM call
    WHERE call.account_id = @account_id AND call.contact_id IS NOT NULL AND call.contact_id = ANY (@contact_ids::uuid[])
    UNION ALL
    SELECT call.id FROM call
    WHERE call.account_id = @account_id AND call.contact_id IS NULL AND call.contact_phone_number <> ''
        AND call.contact_phone_number = ANY (@phone_numbers::text[])
)
SELECT call.id, (coalesce(call.ended_at < now() - interval '3 days', false) OR EXISTS (SELECT FROM event WHERE event.call_id = call.id AND event.type = 'end-of-call-report'))::boolean AS reported
FROM call WHERE call.id IN (SELECT theirs.id FROM theirs)
ORDER BY call.id FOR UPDATE;

-- Whoever makes a call locks its contact, so from here on there are no more of these.
-- name: ErasureLockContacts :exec
SELECT FROM contact WHERE account_id = @account_id AND id = ANY (@ids::uuid[]) ORDER BY id FOR UPDATE;

-- name: ErasureScheduledCalls :exec
UPDATE scheduled_call SET status = CASE WHEN status = 'scheduled' THEN 'canceled' ELSE status END,
    instruction = NULL, variables = '{}', updated_at = now()
WHERE account_id = @account_id AND contact_id = ANY (@contact_ids::uuid[]);

-- name: ErasureContacts :exec
UPDATE contact SET phone_number = '', full_name = NULL, email = NULL, address = NULL, org_id = NULL, last_interaction_at = NULL,
    last_interaction_summary = NULL, meeting_date = NULL, meeting_event_id = NULL,
    deleted_at = coalesce(deleted_at, now()), erased_at = now(), updated_at = now()
WHERE account_id = @account_id AND id = ANY (@ids::uuid[]);

-- What tokens for the contacts' web calls say of them.
-- name: ErasureWebTokens :exec
UPDATE web_token SET contact_id = NULL, variables = '{}', revoked_at = coalesce(revoked_at, now())
WHERE account_id = @account_id AND contact_id = ANY (@contact_ids::uuid[]);

-- name: ErasureDialedNumbers :exec
DELETE FROM dialed_number WHERE account_id = @account_id AND phone_number = ANY (@phone_numbers::text[]);

-- A contact's name is also in what the list of contacts counts, until that is folded: the part of these names is now.
-- name: ErasureNameCounts :exec
WITH taken AS MATERIALIZED (
    DELETE FROM list_count_delta
    WHERE list_count_delta.account_id = @account_id AND list_count_delta.list = 'contact_name' AND list_count_delta.part = ANY (@names::text[])
    RETURNING part, n
), change AS (
    SELECT gram.text, sum(named.n) AS n
    FROM (SELECT taken.part, sum(taken.n) AS n FROM taken GROUP BY taken.part HAVING sum(taken.n) <> 0) AS named, name_grams(named.part) AS gram (text)
    GROUP BY gram.text
)
INSERT INTO list_count AS counted (account_id, list, part, status, bucket, n)
SELECT @account_id, 'contact_name', change.text, '', 0, change.n FROM change WHERE change.n <> 0 ORDER BY change.text
ON CONFLICT (account_id, list, part, status, bucket) DO UPDATE SET n = counted.n + excluded.n;

-- name: ErasureCalls :exec
UPDATE call SET custom_data = '{}', variables = '{}', instruction = NULL, sip_call_id = NULL, sip_dialog = NULL, error = NULL,
    summary = NULL, success_evaluation = NULL, structured_data = NULL, structured_data_multi = NULL, analysis_error = NULL,
    analysis = CASE WHEN analysis = 'pending' THEN 'failed' ELSE analysis END, recording_key = NULL, recording_secret = NULL, recording_missing_seconds = NULL,
    erased_at = coalesce(erased_at, now()), updated_at = now()
WHERE account_id = @account_id AND id = ANY (@ids::uuid[]);

-- name: ErasureCallPersons :exec
UPDATE call SET contact_name = NULL, contact_phone_number = ''
WHERE account_id = @account_id AND id = ANY (@ids::uuid[]);

-- name: ErasureCallTurns :exec
DELETE FROM call_turn WHERE account_id = @account_id AND call_id = ANY (@call_ids::uuid[]);

-- name: ErasureCallToolCalls :exec
DELETE FROM call_tool_call WHERE account_id = @account_id AND call_id = ANY (@call_ids::uuid[]);

-- name: ErasureCallCommands :exec
UPDATE call_command SET body = '{}' WHERE account_id = @account_id AND call_id = ANY (@call_ids::uuid[]);

-- A mail that did not leave yet never will. Invitations are the only mail to the person.
-- name: ErasureMails :exec
UPDATE mail SET content = NULL, recipient = CASE WHEN key LIKE 'appointment/%/caller' THEN '' ELSE recipient END, status = CASE WHEN status = 'queued' THEN 'failed' ELSE status END,
    error = CASE WHEN status = 'queued' THEN 'the person was erased' ELSE error END, updated_at = now()
WHERE account_id = @account_id AND call_id = ANY (@call_ids::uuid[]);

-- name: ErasureSMS :exec
UPDATE sms SET content = NULL, recipient = '', status = CASE WHEN status = 'queued' THEN 'failed' ELSE status END,
    error = CASE WHEN status = 'queued' THEN 'the person was erased' ELSE error END, updated_at = now()
WHERE account_id = @account_id AND call_id = ANY (@call_ids::uuid[]);

-- The events keep their place in the sequence. What was not delivered by now never will be: attempts that are under way
-- belong to an earlier redelivery.
-- name: ErasureEvents :exec
UPDATE event SET payload = jsonb_build_object('type', type, 'call', jsonb_build_object('id', call_id), 'erased', true), packed = NULL,
    delivery = CASE WHEN delivery = 'pending' THEN 'none' ELSE delivery END, redelivery = redelivery + 1, waits_for = NULL
WHERE account_id = @account_id AND (call_id = ANY (@call_ids::uuid[]) AND sequence IS NOT NULL
    OR call_id = ANY (@call_ids::uuid[]) AND sequence IS NULL);

-- name: ErasureDeliveryAttempts :exec
UPDATE delivery_attempt SET answer = ''
WHERE delivery_attempt.account_id = @account_id AND delivery_attempt.event_id IN (
    SELECT event.id FROM event WHERE event.account_id = @account_id AND (event.call_id = ANY (@call_ids::uuid[]) AND event.sequence IS NOT NULL
        OR event.call_id = ANY (@call_ids::uuid[]) AND event.sequence IS NULL));

-- The key stays used, so that a late repetition does not make the record again: without its response.
-- name: ErasureIdempotencyKeys :exec
UPDATE idempotency_key SET body = '{}'
WHERE account_id = @account_id AND (body ->> 'contact_id' = ANY (@contact_ids::text[]) OR body ->> 'call_id' = ANY (@call_ids::text[])
    OR body ->> 'contact_phone_number' = ANY (@phone_numbers::text[]));

-- message_pending: a message that repeats what was said in the call is still to be delivered.
-- name: CallGetToForget :one
SELECT call.account_id, call.ended_at, (EXISTS (
    SELECT FROM event WHERE event.account_id = call.account_id AND event.call_id = call.id AND event.sequence IS NOT NULL
        AND event.type IN ('transcript', 'tool-calls', 'call.endpointing.request', 'end-of-call-report') AND event.delivery = 'pending'
) OR EXISTS (
    SELECT FROM event WHERE event.account_id = call.account_id AND event.call_id = call.id AND event.sequence IS NULL
        AND event.type IN ('transcript', 'tool-calls', 'call.endpointing.request', 'end-of-call-report') AND event.delivery = 'pending'
))::boolean AS message_pending
FROM call WHERE call.id = @id AND call.ended_at IS NOT NULL
FOR UPDATE;

-- What was said, and what was made of it, goes; what the customer gave the call stays.
-- name: CallForget :exec
UPDATE call SET summary = NULL, success_evaluation = NULL, structured_data = NULL, structured_data_multi = NULL, analysis_error = NULL,
    analysis = CASE WHEN analysis = 'pending' THEN 'failed' ELSE analysis END, recording_key = NULL, recording_secret = NULL, recording_missing_seconds = NULL,
    erased_at = coalesce(erased_at, now()), updated_at = now()
WHERE account_id = @account_id AND id = ANY (@ids::uuid[]);

-- name: CallForgetAttempts :exec
UPDATE delivery_attempt SET answer = ''
WHERE delivery_attempt.account_id = @account_id AND delivery_attempt.event_id IN (
    SELECT event.id FROM event WHERE event.account_id = @account_id AND event.type IN ('transcript', 'tool-calls', 'call.endpointing.request', 'end-of-call-report')
        AND (event.call_id = ANY (@call_ids::uuid[]) AND event.sequence IS NOT NULL OR event.call_id = ANY (@call_ids::uuid[]) AND event.sequence IS NULL));

-- name: CallForgetEvents :exec
UPDATE event SET payload = jsonb_build_object('type', type, 'call', jsonb_build_object('id', call_id), 'erased', true), packed = NULL
WHERE account_id = @account_id AND type IN ('transcript', 'tool-calls', 'call.endpointing.request', 'end-of-call-report')
    AND (call_id = ANY (@call_ids::uuid[]) AND sequence IS NOT NULL OR call_id = ANY (@call_ids::uuid[]) AND sequence IS NULL);
