-- pending (10 credits taken) -> completed (the number exists) | failed (the credits are given back, in the same
-- transaction). One pending order per number, whoever makes it.

-- name: PhoneNumberOrderInsert :one
INSERT INTO phone_number_order (id, account_id, verification_group_id, phone_number, number_type, locality, simulated, credits_used)
VALUES (@id, @account_id, @verification_group_id, @phone_number, @number_type, sqlc.narg('locality'), @simulated, @credits_used)
RETURNING *;

-- Every response about an order names its group and what was left after it was paid, so they are read with it.
-- name: PhoneNumberOrderGet :one
SELECT sqlc.embed(phone_number_order), verification_group.name AS group_name, credit_entry.balance AS remaining_credits
FROM phone_number_order
JOIN verification_group ON verification_group.account_id = phone_number_order.account_id AND verification_group.id = phone_number_order.verification_group_id
JOIN credit_entry ON credit_entry.phone_number_order_id = phone_number_order.id AND credit_entry.kind = 'order'
WHERE phone_number_order.account_id = @account_id AND phone_number_order.id = @id;

-- name: PhoneNumberOrderList :many
SELECT sqlc.embed(phone_number_order), verification_group.name AS group_name, credit_entry.balance AS remaining_credits
FROM phone_number_order
JOIN verification_group ON verification_group.account_id = phone_number_order.account_id AND verification_group.id = phone_number_order.verification_group_id
JOIN credit_entry ON credit_entry.phone_number_order_id = phone_number_order.id AND credit_entry.kind = 'order'
WHERE phone_number_order.account_id = @account_id AND phone_number_order.status = @status
    AND phone_number_order.id < @before
ORDER BY phone_number_order.id DESC
LIMIT @max::int OFFSET @skip::int;

-- name: PhoneNumberOrderCount :one
SELECT count(*) FROM phone_number_order WHERE account_id = @account_id AND status = @status;

-- name: PhoneNumberOrderPendingInGroup :one
SELECT EXISTS (SELECT FROM phone_number_order
    WHERE account_id = @account_id AND verification_group_id = @verification_group_id AND status = 'pending');

-- For jobs: the order and the group that it is made through.
-- name: PhoneNumberOrderGetAny :one
SELECT sqlc.embed(phone_number_order), sqlc.embed(verification_group)
FROM phone_number_order
JOIN verification_group ON verification_group.account_id = phone_number_order.account_id AND verification_group.id = phone_number_order.verification_group_id
WHERE phone_number_order.id = @id;

-- name: PhoneNumberOrderSetExternal :exec
UPDATE phone_number_order SET external_order_id = @external_order_id WHERE id = @id AND status = 'pending' AND external_order_id IS NULL;

-- name: PhoneNumberOrderComplete :execrows
UPDATE phone_number_order SET status = 'completed', phone_number_id = @phone_number_id, external_order_id = @external_order_id, completed_at = now()
WHERE id = @id AND status = 'pending';

-- name: PhoneNumberOrderFail :one
UPDATE phone_number_order SET status = 'failed', failure_reason = @failure_reason, completed_at = now()
WHERE id = @id AND status = 'pending'
RETURNING *;

-- name: PhoneNumberOrderGetByExternal :one
SELECT id FROM phone_number_order WHERE external_order_id = @external_order_id AND status = 'pending' AND NOT simulated;
