-- What new calls are refused by.

-- +goose Up

-- Whether an account has spent its budget of the month.
CREATE FUNCTION budget_exhausted(account uuid, budget bigint, zone text) RETURNS boolean LANGUAGE sql STABLE
RETURN CASE WHEN budget IS NULL THEN false ELSE budget <= coalesce((
    SELECT spent.cost FROM monthly_spending AS spent WHERE spent.account_id = account AND spent.month = month_of(now(), zone)), 0) END;
