package db

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
)

// AccountTable is a table whose rows belong to accounts.
type AccountTable struct {
	Name    string
	Columns []string
	Named   bool // its rows have ids by which jobs name them
}

// AccountTables returns the tables with rows of accounts, as the catalog of the database knows them: one that a migration adds is
// among them by itself.
func AccountTables(ctx context.Context, tx dbsqlc.DBTX) ([]AccountTable, error) {
	rows, err := tx.Query(ctx, `SELECT class.relname, array_agg(attribute.attname::text ORDER BY attribute.attnum),
			bool_or(attribute.attname = 'id' AND attribute.atttypid = 'uuid'::regtype)
		FROM pg_class AS class JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid AND attribute.attnum > 0 AND NOT attribute.attisdropped
		WHERE class.relnamespace = current_schema()::regnamespace AND class.relkind IN ('r', 'p') AND NOT class.relispartition
		GROUP BY class.oid, class.relname
		HAVING bool_or(attribute.attname = 'account_id') ORDER BY class.relname`)
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[AccountTable])
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	return tables, nil
}

// totals are the tables that triggers of others write to: they are emptied after those.
var totals = []string{"list_count", "list_count_delta"}

// DeleteAccount deletes an account with all that belongs to it, in the caller's transaction, but for its id, which stays in
// deleted_account so that files which are left are known to be nobody's. Whoever writes rows of the account meanwhile waits, and
// then fails. Without such an account the error is pgx.ErrNoRows. The caller has seen that nothing of it is live.
func DeleteAccount(ctx context.Context, tx pgx.Tx, accountID uuid.UUID) error {
	var locked bool
	if err := tx.QueryRow(ctx, "SELECT true FROM account WHERE id = $1 FOR UPDATE", accountID).Scan(&locked); err != nil {
		return err
	}
	tables, err := AccountTables(ctx, tx)
	if err != nil {
		return err
	}
	steps := []string{
		"INSERT INTO deleted_account (id) VALUES ($1)",
		"DELETE FROM rate_window WHERE api_key_id IN (SELECT id FROM api_key WHERE account_id = $1)",
		"UPDATE phone_number SET inbound_account_id = NULL WHERE inbound_account_id = $1",
		deleteJobs(tables),
		deleteRows(tables),
	}
	for _, table := range totals {
		steps = append(steps, "DELETE FROM "+table+" WHERE account_id = $1")
	}
	if _, err := tx.Exec(ctx, "SELECT set_config('callwright.deleted_account', $1, true)", accountID.String()); err != nil {
		return fmt.Errorf("delete account: %w", err)
	}
	for _, step := range append(steps, "DELETE FROM account WHERE id = $1") {
		if _, err := tx.Exec(ctx, step, accountID); err != nil {
			return fmt.Errorf("delete account: %w", err)
		}
	}
	return nil
}

// deleteRows empties all tables in one statement: foreign keys are checked at its end, so their order does not matter, and
// neither do rows that refer to each other.
func deleteRows(tables []AccountTable) string {
	var statement strings.Builder
	for i, table := range tables {
		if table.Name == totals[0] || table.Name == totals[1] {
			continue
		}
		name := pgx.Identifier{table.Name}.Sanitize()
		fmt.Fprintf(&statement, "%s d%d AS (DELETE FROM %s WHERE account_id = $1)", separator(statement.Len()), i, name)
	}
	return statement.String() + " SELECT"
}

func separator(written int) string {
	if written == 0 {
		return "WITH"
	}
	return ","
}

// deleteJobs removes the jobs that name the account, or one of its rows.
func deleteJobs(tables []AccountTable) string {
	var rows strings.Builder
	for _, table := range tables {
		if table.Named {
			fmt.Fprintf(&rows, " OR EXISTS (SELECT FROM %s AS named WHERE named.id = argument.id AND named.account_id = $1)",
				pgx.Identifier{table.Name}.Sanitize())
		}
	}
	return `DELETE FROM river_job WHERE EXISTS (
		SELECT FROM (
			SELECT CASE WHEN value ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN value::uuid END AS id FROM jsonb_each_text(river_job.args)
		) AS argument
		WHERE argument.id = $1::uuid` + rows.String() + ")"
}
