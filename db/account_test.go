package db_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
)

// TestDeleteAccount deletes rows that refer to each other, a ledger that nobody may change, totals that triggers keep and jobs
// that name rows, and leaves everybody else alone.
func TestDeleteAccount(t *testing.T) {
	t.Parallel()

	pool := dbtest.Pool(t)
	shared := dbfactory.DefaultNumber(t, pool)
	deleted, kept := fillAccount(t, pool, shared), fillAccount(t, pool, shared)
	exec := func(sql string, args ...any) {
		_, err := pool.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	exec("UPDATE phone_number SET inbound_account_id = $2 WHERE id = $1", shared.ID, deleted)
	before := rowsOf(t, pool, kept)

	require.ErrorIs(t, deleteAccount(t, pool, uuid.New()), pgx.ErrNoRows)
	require.NoError(t, deleteAccount(t, pool, deleted))
	require.ErrorIs(t, deleteAccount(t, pool, deleted), pgx.ErrNoRows)
	for table, count := range rowsOf(t, pool, deleted) {
		require.Zero(t, count, table)
	}
	require.Equal(t, before, rowsOf(t, pool, kept))
	is, err := dbsqlc.New().AccountIsDeleted(t.Context(), pool, &dbsqlc.AccountIsDeletedParams{ID: deleted})
	require.NoError(t, err)
	require.True(t, is)

	_, err = pool.Exec(t.Context(), "DELETE FROM credit_entry WHERE account_id = $1", kept)
	require.ErrorContains(t, err, "by new entries only")
	var jobs int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM river_job").Scan(&jobs))
	require.Equal(t, 2, jobs, "those of the other account")
}

func deleteAccount(t *testing.T, beginner db.Beginner, id uuid.UUID) error {
	t.Helper()
	return db.InTx(t.Context(), beginner, func(tx pgx.Tx) error { return db.DeleteAccount(t.Context(), tx, id) })
}

// fillAccount makes an account with a call that its scheduled call refers to, and that refers to it, and with two jobs.
func fillAccount(t *testing.T, tx dbsqlc.DBTX, shared *dbsqlc.PhoneNumber) uuid.UUID {
	t.Helper()
	account := dbfactory.Account(t, tx)
	dbfactory.APIKey(t, tx, account.ID)
	dbfactory.Credits(t, tx, account.ID, 50)
	assistant, contact := dbfactory.Assistant(t, tx, account.ID), dbfactory.Contact(t, tx, account.ID)
	dbfactory.Link(t, tx, assistant, shared)
	dbfactory.Number(t, tx, account.ID)
	call, scheduled := dbfactory.ID(t), dbfactory.ID(t)
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO scheduled_call (id, account_id, assistant_id, contact_id, scheduled_time, simulated) VALUES ($1, $2, $3, $4, now(), true)`,
			[]any{scheduled, account.ID, assistant.ID, contact.ID}},
		{`INSERT INTO call (id, account_id, direction, status, simulated, assistant_id, assistant_name, contact_id, contact_phone_number, phone_number_id,
			phone_number, scheduled_call_id) VALUES ($1, $2, 'outbound', 'completed', true, $3, 'Receptionist', $4, '+31612345678', $5, '+31850000000', $6)`,
			[]any{call, account.ID, assistant.ID, contact.ID, shared.ID, scheduled}},
		{`UPDATE scheduled_call SET call_id = $1 WHERE id = $2`, []any{call, scheduled}},
		{`INSERT INTO call_turn (call_id, position, account_id, role, text, seconds_from_start) VALUES ($1, 1, $2, 'user', 'Hello.', 1)`, []any{call, account.ID}},
		{`INSERT INTO event (id, account_id, type, call_id, payload, delivery) VALUES ($1, $2, 'status-update', $3, '{}', 'none')`,
			[]any{dbfactory.ID(t), account.ID, call}},
		{`SELECT number_events(ARRAY[$1::uuid])`, []any{account.ID}},
		{`INSERT INTO river_job (kind, args, max_attempts, state, queue) VALUES ('finish_call', jsonb_build_object('call_id', $1::text, 'n', 1), 3, 'available', 'default')`,
			[]any{call.String()}},
		{`INSERT INTO river_job (kind, args, max_attempts, state, queue) VALUES ('deliver_event', jsonb_build_object('account_id', $1::text), 3, 'available', 'webhooks')`,
			[]any{account.ID.String()}},
	} {
		_, err := tx.Exec(t.Context(), step.sql, step.args...)
		require.NoError(t, err, step.sql)
	}
	return account.ID
}

// rowsOf counts what there is of an account, by table.
func rowsOf(t *testing.T, tx dbsqlc.DBTX, account uuid.UUID) map[string]int {
	t.Helper()
	tables, err := db.AccountTables(t.Context(), tx)
	require.NoError(t, err)
	require.Greater(t, len(tables), 25)
	counts := map[string]int{}
	for _, table := range tables {
		var count int
		require.NoError(t, tx.QueryRow(t.Context(), "SELECT count(*) FROM "+table.Name+" WHERE account_id = $1", account).Scan(&count))
		counts[table.Name] = count
	}
	return counts
}
