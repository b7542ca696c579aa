package db_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
)

// TestUncertain breaks the connection at a commit: whoever committed learns that it may have happened, and nothing else.
func TestUncertain(t *testing.T) {
	t.Parallel()

	way := dbtest.Broken(t, dbtest.DSN(t))
	pool, err := db.Open(t.Context(), way.DSN, 2)
	require.NoError(t, err)
	defer pool.Close()
	_, err = pool.Exec(t.Context(), "CREATE TABLE written (id integer PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)")
	require.NoError(t, err)
	write := func(id int) error {
		return db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), "-- name: Write :exec\nINSERT INTO written VALUES ($1)", id)
			return err
		})
	}
	for id, loss := range []dbtest.Loss{dbtest.Request, dbtest.Answer} {
		broken := way.At("Write", loss)
		require.ErrorIs(t, write(id), db.ErrUncertain)
		<-broken
		var there bool
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM written WHERE id = $1)", id).Scan(&there))
		require.Equal(t, loss == dbtest.Answer, there)
	}
	require.NoError(t, write(2))
	err = write(2) // its key is checked at the commit
	require.Error(t, err)
	require.NotErrorIs(t, err, db.ErrUncertain)
}
