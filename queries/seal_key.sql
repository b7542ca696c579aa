-- Of two processes that begin to seal with a key, the later waits for the earlier and then finds its canary.
-- name: SealKeyInsert :exec
INSERT INTO seal_key (id, canary) VALUES (@id, @canary) ON CONFLICT (id) DO NOTHING;

-- name: SealKeyList :many
SELECT * FROM seal_key ORDER BY created_at, id;

-- Waits for transactions that have sealed with the key and makes later ones fail.
-- name: SealKeyDelete :execrows
DELETE FROM seal_key WHERE id = @id;

-- name: SealKeyHolderReport :exec
INSERT INTO seal_key_holder (session, process, key_id, reads) VALUES (@session, @process, @key_id, @reads)
ON CONFLICT (session) DO UPDATE SET seen_at = now();

-- name: SealKeyHolderDelete :exec
DELETE FROM seal_key_holder WHERE session = @session;

-- The newest form that all processes read which may run, and that is to be written by now; see db.Form. One that is paused or cut off
-- says nothing and may come back, so it counts for an hour.
-- name: StoredFormWritten :one
SELECT least(
    (SELECT coalesce(max(stored_form.form), 0) FROM stored_form WHERE stored_form.written_from <= now()),
    (SELECT min(holder.reads) FROM seal_key_holder AS holder WHERE holder.seen_at > now() - interval '1 hour')
)::integer AS form;

-- Processes that ended without saying so.
-- name: SealKeyHolderForget :exec
DELETE FROM seal_key_holder WHERE seen_at < now() - interval '1 hour';

-- The processes that may run and do not seal with the key. Of a worker that holds a lease and does not say what it seals with, as
-- those of versions before do not, the key is empty.
-- name: SealKeyHolderListOthers :many
SELECT holder.process, holder.key_id, extract(epoch FROM now() - holder.seen_at)::double precision AS seen_ago
FROM seal_key_holder AS holder WHERE holder.seen_at > now() - @within::interval AND holder.key_id <> @ours
UNION ALL
SELECT lease.process_id, '', extract(epoch FROM now() - lease.renewed_at)::double precision
FROM process_lease AS lease WHERE lease.ended_at IS NULL AND lease.renewed_at > now() - @within::interval
    AND NOT EXISTS (SELECT FROM seal_key_holder AS said WHERE said.session = lease.session AND said.seen_at > now() - @within::interval)
ORDER BY 1;

-- All but those of calls, of which there may be millions and no index.
-- name: SealedValueListByKey :many
SELECT source::text AS source, account_id, id::text AS id, sealed::text AS sealed FROM sealed_value
WHERE key_id = @key_id::text AND source <> 'call.recording_secret' LIMIT @max;

-- Those of calls behind one, in the order of their ids.
-- name: SealedValueListOfCalls :many
SELECT 'call.recording_secret'::text AS source, account_id, id::text AS id, recording_secret::text AS sealed FROM call
WHERE call.id > @after AND recording_secret IS NOT NULL AND split_part(recording_secret, '.', 2) = @key_id::text
ORDER BY call.id LIMIT @max;

-- name: SealedValueExists :one
SELECT EXISTS (SELECT FROM sealed_value WHERE key_id = @key_id::text);

-- The rest put a value that is sealed anew in the place of the one before, if that is still there.

-- name: WebhookEndpointReseal :execrows
UPDATE webhook_endpoint SET secret = @fresh::text WHERE account_id = @account_id AND id = @id AND secret = @sealed::text;

-- name: WebhookEndpointResealPrevious :execrows
UPDATE webhook_endpoint SET previous_secret = @fresh::text WHERE account_id = @account_id AND id = @id AND previous_secret = @sealed::text;

-- name: SIPConnectionReseal :execrows
UPDATE sip_connection SET sip_password = @fresh WHERE account_id = @account_id AND id = @id AND sip_password = @sealed;

-- name: VerificationDocumentReseal :execrows
UPDATE verification_document SET file_secret = @fresh WHERE account_id = @account_id AND id = @id AND file_secret = @sealed;

-- name: CallReseal :execrows
UPDATE call SET recording_secret = @fresh::text WHERE account_id = @account_id AND id = @id AND recording_secret = @sealed::text;

-- name: IdempotencyKeyReseal :execrows
UPDATE idempotency_key SET body = to_jsonb(@fresh::text) WHERE account_id = @account_id AND key = @key AND body = to_jsonb(@sealed::text);
