-- A contact is deleted softly; past calls keep pointing at it.

-- Inserts contacts, in one order. No row: another contact has the number. details: what may be left out, by the names of its columns.
-- name: ContactInsertMany :many
INSERT INTO contact (id, account_id, test, phone_number, full_name, email, address, org_id, last_interaction_at, last_interaction_summary)
SELECT asked.id, asked.account_id, asked.test, asked.phone_number, asked.details ->> 'full_name', asked.details ->> 'email', asked.details ->> 'address',
    asked.details ->> 'org_id', (asked.details ->> 'last_interaction_at')::timestamptz, asked.details ->> 'last_interaction_summary'
FROM (
    SELECT unnest(@ids::uuid[]) AS id, unnest(@account_ids::uuid[]) AS account_id, unnest(@tests::boolean[]) AS test,
        unnest(@phone_numbers::text[]) AS phone_number, unnest(@details::jsonb[]) AS details
) AS asked
ORDER BY asked.account_id, asked.phone_number, asked.id
ON CONFLICT (account_id, phone_number) WHERE deleted_at IS NULL DO NOTHING
RETURNING *;

-- name: ContactGet :one
SELECT * FROM contact WHERE account_id = @account_id AND id = @id AND deleted_at IS NULL;

-- A contact's last interaction is the latest of its calls that were answered, with the summary of that one: none, if it has none.
-- The order keeps two workers from waiting for each other.
-- name: ContactTouchMany :many
WITH touched AS (
    SELECT contact.id FROM contact
    WHERE contact.id = ANY (@ids::uuid[]) AND contact.deleted_at IS NULL
    ORDER BY contact.id FOR NO KEY UPDATE
)
UPDATE contact SET
    last_interaction_at = greatest(contact.last_interaction_at, call.ended_at),
    last_interaction_summary = CASE WHEN contact.last_interaction_at IS NULL OR contact.last_interaction_at <= call.ended_at
        THEN call.summary ELSE contact.last_interaction_summary END,
    updated_at = now()
FROM touched, (
    SELECT DISTINCT ON (call.contact_id) call.contact_id, call.ended_at,
        CASE WHEN call.id = ANY (@forgotten_ids::uuid[]) THEN NULL ELSE call.summary END AS summary
    FROM call WHERE call.id = ANY (@call_ids::uuid[])
    ORDER BY call.contact_id, call.ended_at DESC
) AS call
WHERE contact.id = touched.id AND call.contact_id = contact.id
RETURNING contact.id;

-- The lists show the newest contacts first, those before the id given. name is a pattern for LIKE, in lower case by the
-- database's rules as search_name is; without a name it is NULL. This one walks all contacts.
-- name: ContactList :many
SELECT contact.* FROM (
    SELECT c.id FROM contact AS c
    WHERE c.account_id = @account_id AND c.deleted_at IS NULL AND c.id < @before
        AND (sqlc.narg('org_id')::text IS NULL OR c.org_id = sqlc.narg('org_id'))
        AND (sqlc.narg('name')::text IS NULL OR c.search_name LIKE lower(sqlc.narg('name')))
    ORDER BY c.id DESC LIMIT @max::int OFFSET @skip::int
) AS page JOIN contact ON contact.account_id = @account_id AND contact.id = page.id
ORDER BY contact.id DESC;

-- Of one person, or of the few who share an e-mail address.
-- name: ContactListByAddress :many
SELECT * FROM contact
WHERE account_id = @account_id AND deleted_at IS NULL AND id < @before
    AND (sqlc.narg('phone_number')::text IS NULL OR phone_number = sqlc.narg('phone_number'))
    AND (sqlc.narg('email')::text IS NULL OR email = sqlc.narg('email'))
    AND (sqlc.narg('org_id')::text IS NULL OR org_id = sqlc.narg('org_id'))
    AND (sqlc.narg('name')::text IS NULL OR search_name LIKE lower(sqlc.narg('name')))
ORDER BY id DESC LIMIT @max::int OFFSET @skip::int;

-- name: ContactCountByAddress :one
SELECT count(*) FROM contact
WHERE account_id = @account_id AND deleted_at IS NULL
    AND (sqlc.narg('phone_number')::text IS NULL OR phone_number = sqlc.narg('phone_number'))
    AND (sqlc.narg('email')::text IS NULL OR email = sqlc.narg('email'))
    AND (sqlc.narg('org_id')::text IS NULL OR org_id = sqlc.narg('org_id'))
    AND (sqlc.narg('name')::text IS NULL OR search_name LIKE lower(sqlc.narg('name')));

-- For a name that few have.
-- name: ContactListByName :many
SELECT * FROM contact
WHERE account_id = @account_id AND deleted_at IS NULL AND id < @before
    AND contact_grams(account_id, search_name, 1) @> contact_grams(@account_id, lower(@text::text), least(length(lower(@text::text)), 3)) AND search_name LIKE lower(@name::text)
    AND (sqlc.narg('org_id')::text IS NULL OR org_id = sqlc.narg('org_id'))
ORDER BY id DESC LIMIT @max::int OFFSET @skip::int;

-- name: ContactCountByName :one
SELECT count(*) FROM contact
WHERE account_id = @account_id AND deleted_at IS NULL
    AND contact_grams(account_id, search_name, 1) @> contact_grams(@account_id, lower(@text::text), least(length(lower(@text::text)), 3)) AND search_name LIKE lower(@name::text)
    AND (sqlc.narg('org_id')::text IS NULL OR org_id = sqlc.narg('org_id'));

-- For a name that many have: reads them all, in the index.
-- name: ContactCountByScan :one
SELECT count(*) FROM contact
WHERE account_id = @account_id AND deleted_at IS NULL AND search_name LIKE lower(@name::text)
    AND (sqlc.narg('org_id')::text IS NULL OR org_id = sqlc.narg('org_id'));

-- name: ContactCount :one
SELECT (
    coalesce((SELECT n FROM list_count AS counted WHERE counted.account_id = @account_id AND counted.list = 'contact' AND part = coalesce(sqlc.narg('org_id')::text, '')), 0)
    + coalesce((
        SELECT sum(n) FROM list_count_delta AS delta
        WHERE delta.account_id = @account_id AND delta.list = 'contact' AND (sqlc.narg('org_id')::text IS NULL OR part = sqlc.narg('org_id'))
    ), 0)
)::bigint AS total;

-- How many contacts have the rarest gram of a text in their names. This is how many have the text when the text is itself a
-- gram; when it is longer, no more than these have it.
-- name: ContactCountByRarestGram :one
SELECT coalesce(min(
    coalesce((SELECT counted.n FROM list_count AS counted WHERE counted.account_id = @account_id AND counted.list = 'contact_name' AND counted.part = gram.text), 0)
    + coalesce((
        SELECT sum(delta.n) FROM list_count_delta AS delta
        WHERE delta.account_id = @account_id AND delta.list = 'contact_name' AND strpos(delta.part, gram.text) > 0
    ), 0)
), 0)::bigint AS most, length(lower(@text::text)) <= 3 AS exact
FROM name_grams(lower(@text::text), least(length(lower(@text::text)), 3)) AS gram (text);

-- name: ContactUpdate :one
UPDATE contact SET
    phone_number = coalesce(sqlc.narg('phone_number'), phone_number),
    full_name = CASE WHEN @set_full_name::boolean THEN sqlc.narg('full_name') ELSE full_name END,
    email = CASE WHEN @set_email::boolean THEN sqlc.narg('email') ELSE email END,
    address = CASE WHEN @set_address::boolean THEN sqlc.narg('address') ELSE address END,
    last_interaction_at = CASE WHEN @set_last_interaction_at::boolean THEN sqlc.narg('last_interaction_at') ELSE last_interaction_at END,
    last_interaction_summary = CASE WHEN @set_last_interaction_summary::boolean THEN sqlc.narg('last_interaction_summary') ELSE last_interaction_summary END,
    meeting_date = CASE WHEN @set_meeting_date::boolean THEN sqlc.narg('meeting_date') ELSE meeting_date END,
    meeting_event_id = CASE WHEN @set_meeting_event_id::boolean THEN sqlc.narg('meeting_event_id') ELSE meeting_event_id END,
    updated_at = now()
WHERE account_id = @account_id AND id = @id AND deleted_at IS NULL
RETURNING *;

-- The live contact with this number, made when there is none.
-- name: ContactEnsure :one
INSERT INTO contact (id, account_id, phone_number) VALUES (@id, @account_id, @phone_number)
ON CONFLICT (account_id, phone_number) WHERE deleted_at IS NULL DO UPDATE SET updated_at = now()
RETURNING *;

-- A name that a caller says fills in what is not known yet, and replaces nothing.
-- name: ContactSetMeeting :one
UPDATE contact SET meeting_date = @meeting_date, meeting_event_id = @meeting_event_id,
    full_name = coalesce(full_name, sqlc.narg('full_name')), updated_at = now()
WHERE account_id = @account_id AND id = @id AND deleted_at IS NULL
RETURNING *;

-- name: ContactDelete :one
UPDATE contact SET deleted_at = now(), updated_at = now()
WHERE account_id = @account_id AND id = @id AND deleted_at IS NULL
RETURNING *;
