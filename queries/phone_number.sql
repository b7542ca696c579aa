-- A default number is shared by all accounts (account_id NULL); every other query here is scoped by account.

-- name: PhoneNumberInsert :one
INSERT INTO phone_number (id, account_id, number, origin, simulated, status, type, locality)
VALUES (@id, sqlc.narg('account_id'), @number, @origin, @simulated, coalesce(nullif(@status, ''), 'active'), sqlc.narg('type'), sqlc.narg('locality'))
RETURNING *;

-- name: PhoneNumberInsertDefault :exec
INSERT INTO phone_number (id, number, origin, type, locality)
VALUES (@id, @number, 'default', sqlc.narg('type'), sqlc.narg('locality'))
ON CONFLICT (number, simulated) WHERE status IN ('active', 'releasing') DO NOTHING;

-- Gives the calls that come in on a shared number to an account, or to nobody. No row: there is no such shared number.
-- name: PhoneNumberSetInboundAccount :execrows
UPDATE phone_number SET inbound_account_id = sqlc.narg('inbound_account_id')
WHERE number = @number AND origin = 'default' AND status <> 'released';

-- For the operator, who sees the numbers of all accounts: the shared ones first.
-- name: PhoneNumberListAll :many
SELECT sqlc.embed(phone_number), account.email AS account_email, inbound_account.email AS inbound_email
FROM phone_number
LEFT JOIN account ON account.id = phone_number.account_id
LEFT JOIN account AS inbound_account ON inbound_account.id = phone_number.inbound_account_id
WHERE phone_number.status <> 'released'
ORDER BY phone_number.account_id NULLS FIRST, phone_number.number;

-- Whoever has the number now.
-- name: PhoneNumberGetByNumber :one
SELECT sqlc.embed(phone_number), account.email AS account_email
FROM phone_number LEFT JOIN account ON account.id = phone_number.account_id
WHERE phone_number.number = @number AND phone_number.status IN ('active', 'releasing') AND NOT phone_number.simulated;

-- Whoever owns it: the number link must tell another account's number (403) from none (404).
-- The lock keeps the number from being released before it is linked.
-- name: PhoneNumberGetAny :one
SELECT * FROM phone_number WHERE id = @id AND status IN ('active', 'pending') FOR SHARE;

-- name: PhoneNumberGet :one
SELECT sqlc.embed(phone_number), phone_number_link.assistant_id
FROM phone_number
LEFT JOIN phone_number_link ON phone_number_link.phone_number_id = phone_number.id AND phone_number_link.account_id = @account_id
WHERE phone_number.id = @id AND (phone_number.account_id = @account_id OR phone_number.account_id IS NULL)
    AND phone_number.status IN ('active', 'pending');

-- name: PhoneNumberList :many
SELECT sqlc.embed(phone_number), phone_number_link.assistant_id
FROM phone_number
LEFT JOIN phone_number_link ON phone_number_link.phone_number_id = phone_number.id AND phone_number_link.account_id = @account_id
WHERE (phone_number.account_id = @account_id OR phone_number.account_id IS NULL) AND phone_number.status IN ('active', 'pending') AND phone_number.id < @before
ORDER BY phone_number.id DESC
LIMIT @max::int OFFSET @skip::int;

-- name: PhoneNumberCount :one
SELECT count(*) FROM phone_number
WHERE (account_id = @account_id OR account_id IS NULL) AND status IN ('active', 'pending');

-- name: PhoneNumberCountOwn :one
SELECT count(*) FROM phone_number WHERE account_id = @account_id AND status = 'active';

-- name: PhoneNumberLinkGet :one
SELECT sqlc.embed(phone_number) FROM phone_number_link
JOIN phone_number ON phone_number.id = phone_number_link.phone_number_id
WHERE phone_number_link.account_id = @account_id AND phone_number_link.assistant_id = @assistant_id;

-- name: PhoneNumberLinkInsert :exec
INSERT INTO phone_number_link (account_id, assistant_id, phone_number_id, origin)
VALUES (@account_id, @assistant_id, @phone_number_id, @origin);

-- name: PhoneNumberLinkDelete :one
WITH unlinked AS (
    DELETE FROM phone_number_link
    WHERE phone_number_link.account_id = @account_id AND phone_number_link.assistant_id = @assistant_id
    RETURNING phone_number_link.phone_number_id
)
SELECT phone_number.id, phone_number.number
FROM phone_number JOIN unlinked ON unlinked.phone_number_id = phone_number.id;

-- An account's assistants share one default number: linking it to one releases the others.
-- name: PhoneNumberLinkReleaseDefaults :execrows
DELETE FROM phone_number_link
WHERE account_id = @account_id AND origin = 'default' AND assistant_id <> @assistant_id;

-- name: PhoneNumberLinkLiveDefault :one
SELECT EXISTS (
    SELECT FROM phone_number_link JOIN assistant ON assistant.account_id = phone_number_link.account_id AND assistant.id = phone_number_link.assistant_id
    WHERE phone_number_link.account_id = @account_id AND phone_number_link.origin = 'default' AND NOT assistant.test);

-- name: PhoneNumberLinkRemove :exec
DELETE FROM phone_number_link WHERE account_id = @account_id AND assistant_id = @assistant_id;

-- Whether anybody has the number now, or gives it back just now.
-- name: PhoneNumberInUse :one
SELECT EXISTS (SELECT FROM phone_number WHERE number = @number AND simulated = @simulated AND status IN ('active', 'releasing'));

-- What an order bought. No row: the number is in use.
-- name: PhoneNumberInsertOrdered :one
INSERT INTO phone_number (id, account_id, number, origin, simulated, type, locality, phone_number_order_id, carrier_number_id)
VALUES (@id, @account_id, @number, 'custom', @simulated, @type, sqlc.narg('locality'), @phone_number_order_id, @carrier_number_id)
ON CONFLICT (number, simulated) WHERE status IN ('active', 'releasing') DO NOTHING
RETURNING *;

-- The lock keeps assistants from being linked meanwhile.
-- name: PhoneNumberGetForUpdate :one
SELECT * FROM phone_number
WHERE id = @id AND (account_id = @account_id OR account_id IS NULL) AND status IN ('active', 'pending') FOR UPDATE;

-- name: PhoneNumberIsLinked :one
SELECT EXISTS (SELECT FROM phone_number_link WHERE phone_number_id = @id);

-- active -> releasing, in the transaction that asks the carrier to take it back -> released, when it has.
-- name: PhoneNumberSetReleasing :execrows
UPDATE phone_number SET status = 'releasing' WHERE account_id = @account_id AND id = @id AND status = 'active';

-- name: PhoneNumberGetReleasing :one
SELECT phone_number.carrier_number_id, phone_number_order.simulated
FROM phone_number
JOIN phone_number_order ON phone_number_order.account_id = phone_number.account_id AND phone_number_order.id = phone_number.phone_number_order_id
WHERE phone_number.id = @id AND phone_number.status = 'releasing';

-- name: PhoneNumberSetReleased :exec
UPDATE phone_number SET status = 'released' WHERE id = @id AND status = 'releasing';

-- pending -> active: the number is the account's, since its proxy registered it. Of two at once the index admits one.
-- name: PhoneNumberClaim :execrows
UPDATE phone_number SET status = 'active'
WHERE phone_number.account_id = @account_id AND phone_number.id = @id AND phone_number.status = 'pending' AND NOT EXISTS (
    SELECT FROM phone_number AS taken
    WHERE taken.number = phone_number.number AND taken.simulated = phone_number.simulated AND taken.status IN ('active', 'releasing'));

-- name: PhoneNumberIsPending :one
SELECT status = 'pending' FROM phone_number WHERE account_id = @account_id AND id = @id;

-- For the operator: takes a number from everybody.
-- name: PhoneNumberUnlinkAll :execrows
DELETE FROM phone_number_link WHERE phone_number_id = @id;

-- name: PhoneNumberTakeBack :execrows
UPDATE phone_number SET status = 'released' WHERE id = @id AND status = 'active';
