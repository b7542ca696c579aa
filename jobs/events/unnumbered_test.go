package events_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/jobstest"
)

// Looks for unnumbered events go on behind those that are numbered, but not behind a position that a transaction has drawn which
// is not over: its event may come.
func TestUnnumbered(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	account, other := dbfactory.Account(t, pool).ID, dbfactory.Account(t, pool).ID
	write := func(tx pgx.Tx, account uuid.UUID) (position int64) {
		_, err := tx.Exec(t.Context(), "SELECT pg_current_xact_id()") // as EventInsertMany has its id before it draws positions
		require.NoError(t, err)
		require.NoError(t, tx.QueryRow(t.Context(), `INSERT INTO event (id, account_id, type, payload, delivery)
			VALUES (gen_random_uuid(), $1, 'status-update', '{}', 'none') RETURNING position`, account).Scan(&position))
		return position
	}
	begin := func() pgx.Tx {
		tx, err := pool.Begin(t.Context())
		require.NoError(t, err)
		t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }) // most are committed
		return tx
	}
	var unnumbered events.Unnumbered
	look := func(expected ...uuid.UUID) {
		t.Helper()
		found, err := unnumbered.Accounts(t.Context(), pool)
		require.NoError(t, err)
		require.ElementsMatch(t, expected, found)
		require.NoError(t, events.Number(t.Context(), pool, found...))
	}
	// Transactions of other databases count, too, and tests run beside each other.
	goesOn := func(behind int64) {
		t.Helper()
		require.Eventually(t, func() bool { look(); return unnumbered.Behind() == behind }, 30*time.Second, 5*time.Millisecond)
	}
	look()

	tx := begin()
	first := write(tx, account)
	write(tx, other)
	require.NoError(t, tx.Commit(t.Context()))
	look(account, other)
	goesOn(first + 1)

	slow, quick := begin(), begin()
	write(slow, other)
	last := write(quick, account)
	require.NoError(t, quick.Commit(t.Context()))
	look(account)
	look()
	look()
	require.Equal(t, first+1, unnumbered.Behind(), "a transaction that is not over keeps it")
	require.NoError(t, slow.Commit(t.Context()))
	look(other)
	goesOn(last)

	_, err := pool.Exec(t.Context(), "DELETE FROM event WHERE position > $1", first)
	require.NoError(t, err)
	look()
	require.Zero(t, unnumbered.Behind(), "what was the newest is gone, as after a restore")
}

// NumberFree leaves the events of an account to whoever numbers others of it, and says so.
func TestNumberFree(t *testing.T) {
	t.Parallel()

	f, pool := jobstest.NewCommitted(t)
	f.QueuedCall(t)
	require.NoError(t, f.Tx.Commit(t.Context()))
	require.NoError(t, events.Number(t.Context(), pool, f.Account.ID))
	unnumbered := func() (count int) {
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM event WHERE sequence IS NULL").Scan(&count))
		return count
	}
	require.Zero(t, unnumbered())
	_, err := pool.Exec(t.Context(), "UPDATE event SET sequence = NULL")
	require.NoError(t, err)
	_, err = pool.Exec(t.Context(), "UPDATE event_counter SET numbered_to = 0, last = 0")
	require.NoError(t, err)
	other := jobstest.Begin(t, pool)
	_, err = other.Exec(t.Context(), "SELECT FROM event_counter FOR UPDATE")
	require.NoError(t, err)
	left, err := events.NumberFree(t.Context(), pool, f.Account.ID)
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{f.Account.ID}, left)
	require.NotZero(t, unnumbered())
	require.NoError(t, other.Rollback(t.Context()))
	left, err = events.NumberFree(t.Context(), pool, f.Account.ID)
	require.NoError(t, err)
	require.Empty(t, left)
	require.Zero(t, unnumbered())
}
