-- The credit ledger: entries are only ever added. A trigger moves account.credits by each one and numbers them per account.

-- No row: the balance does not allow it, or there is no such account, and nothing was written.
-- name: CreditEntryInsert :one
INSERT INTO credit_entry (account_id, sequence, id, kind, amount, balance, reason, phone_number_order_id)
VALUES (@account_id, 0, @id, @kind, @amount, 0, @reason, sqlc.narg('phone_number_order_id'))
RETURNING *;

-- Newest first, from the newest-th entry of the account on down.
-- name: CreditEntryList :many
SELECT * FROM credit_entry
WHERE account_id = @account_id AND sequence <= @newest
ORDER BY sequence DESC
LIMIT @max::int;
