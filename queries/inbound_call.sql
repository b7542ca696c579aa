-- An inbound call begins as ringing, owned by the worker that received it; its further transitions are those of call.sql.

-- Which assistant takes a call to a number: the assistant of a custom number; of a shared one the assistant of the account whose
-- answered call from it reached this caller last, else of the account to which an operator gave the number's calls. Linking the
-- number, or a call from it that nobody answered, takes nothing from anybody; and as a mailbox answers whoever calls, a message
-- on one counts only where nobody was talked with. A number with a SIP connection is reached over that connection alone, except on
-- the simulated network. A number of the account's own without an assistant is answered by the one that its webhook names, if that
-- takes the question: then assistant_id is NULL.
-- name: InboundRoute :one
WITH called AS MATERIALIZED (
    SELECT phone_number.id, phone_number.number, phone_number.account_id IS NOT NULL AS custom, coalesce(
        phone_number.account_id,
        (SELECT call.account_id FROM call
         WHERE call.phone_number_id = phone_number.id AND call.contact_phone_number = @caller AND call.direction = 'outbound'
            AND call.simulated = @simulated::boolean AND call.created_at > now() - interval '31 days' AND call.started_at > now() - interval '30 days'
            AND EXISTS (SELECT FROM phone_number_link AS linked WHERE linked.account_id = call.account_id AND linked.phone_number_id = phone_number.id)
         ORDER BY call.status = 'voicemail', call.started_at DESC, call.id DESC LIMIT 1),
        phone_number.inbound_account_id
    ) AS account_id
    FROM phone_number
    WHERE phone_number.number = @number AND phone_number.status = 'active'
        AND (@simulated::boolean OR sqlc.narg('sip_connection_id')::uuid IS NOT DISTINCT FROM
            (SELECT sip_connection.id FROM sip_connection WHERE sip_connection.phone_number_id = phone_number.id))
        AND (@simulated::boolean OR NOT phone_number.simulated)
    ORDER BY phone_number.simulated DESC LIMIT 1
)
SELECT called.id AS phone_number_id, called.number, called.account_id::uuid AS account_id, assistant.id AS assistant_id
FROM called
LEFT JOIN phone_number_link ON phone_number_link.account_id = called.account_id AND phone_number_link.phone_number_id = called.id
LEFT JOIN assistant ON assistant.account_id = phone_number_link.account_id AND assistant.id = phone_number_link.assistant_id
    AND (@simulated::boolean OR NOT assistant.test) -- what a test key made takes no real call
WHERE assistant.id IS NOT NULL OR called.custom AND phone_number_link.assistant_id IS NULL AND EXISTS (
    SELECT FROM webhook_endpoint AS endpoint
    WHERE endpoint.account_id = called.account_id AND endpoint.assistant_id IS NULL AND endpoint.url IS NOT NULL AND endpoint.enabled
        AND 'assistant-request' = ANY (endpoint.events)
);

-- Inserts calls that ring at the same time; the zero id is that of no assistant. Callers are looked up among their accounts'
-- contacts. No row: this very INVITE made a call already, or the assistant is gone.
-- name: InboundCallInsertMany :many
WITH ring AS (
    SELECT unnest(@ids::uuid[]) AS id, unnest(@account_ids::uuid[]) AS account_id, nullif(unnest(@assistant_ids::uuid[]), '00000000-0000-0000-0000-000000000000') AS assistant_id,
        unnest(@phone_number_ids::uuid[]) AS phone_number_id, unnest(@numbers::text[]) AS number, unnest(@callers::text[]) AS caller,
        unnest(@sip_call_ids::text[]) AS sip_call_id, unnest(@simulated::boolean[]) AS simulated,
        unnest(@recording_secrets::text[]) AS recording_secret
), person AS (
    SELECT found.account_id, found.phone_number, found.id, found.full_name FROM contact AS found
    WHERE (found.account_id, found.phone_number) IN (SELECT ring.account_id, ring.caller FROM ring) AND found.deleted_at IS NULL
    ORDER BY found.id FOR KEY SHARE
)
INSERT INTO call (id, account_id, direction, status, simulated, assistant_id, assistant_name, assistant_config, assistant_version_id, contact_id,
    contact_name, contact_phone_number, phone_number_id, phone_number, worker_id, sip_call_id, recording_secret, timeline)
SELECT ring.id, ring.account_id, 'inbound', 'ringing', ring.simulated, assistant.id, coalesce(assistant.name, ''), CASE WHEN NOT @by_version::boolean THEN assistant.config END,
    CASE WHEN @by_version THEN assistant.version_id END, person.id,
    person.full_name, ring.caller, ring.phone_number_id, ring.number, @worker_id::text, ring.sip_call_id, ring.recording_secret,
    jsonb_build_array(jsonb_build_object('status', 'ringing', 'at', now()))
FROM ring
LEFT JOIN assistant ON assistant.account_id = ring.account_id AND assistant.id = ring.assistant_id AND assistant.deleted_at IS NULL
LEFT JOIN person ON person.account_id = ring.account_id AND person.phone_number = ring.caller
WHERE assistant.id IS NOT NULL OR ring.assistant_id IS NULL
ON CONFLICT (sip_call_id) WHERE direction = 'inbound' AND stage = 'live' DO NOTHING
RETURNING *;

-- The configuration from the response to an assistant request, before the call is answered.
-- name: InboundCallSetAssistant :one
UPDATE call SET assistant_id = sqlc.narg('assistant_id'), assistant_name = @assistant_name, assistant_config = @assistant_config,
    assistant_version_id = sqlc.narg('assistant_version_id'), variables = @variables, updated_at = now()
WHERE account_id = @account_id AND id = @id AND worker_id = @worker_id AND status = 'ringing'
RETURNING *;
