package db_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
)

// TestOpenTransactionEnds leaves a transaction open that holds a row, as a partition does: others get the row.
func TestOpenTransactionEnds(t *testing.T) {
	t.Parallel()

	dsn := dbtest.DSN(t)
	pool, err := db.Open(t.Context(), dsn, 1)
	require.NoError(t, err)
	defer pool.Close()
	var limit, given string
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT current_setting('idle_in_transaction_session_timeout')").Scan(&limit))
	require.Equal(t, "10s", limit)
	_, err = pool.Exec(t.Context(), "CREATE TABLE held (id integer)")
	require.NoError(t, err)
	_, err = pool.Exec(t.Context(), "INSERT INTO held VALUES (1)")
	require.NoError(t, err)

	if strings.Contains(dsn, "?") {
		dsn += "&idle_in_transaction_session_timeout=200"
	} else {
		dsn += "?idle_in_transaction_session_timeout=200"
	}
	other, err := db.Open(t.Context(), dsn, 1)
	require.NoError(t, err)
	defer other.Close()
	require.NoError(t, other.QueryRow(t.Context(), "SELECT current_setting('idle_in_transaction_session_timeout')").Scan(&given))
	require.Equal(t, "200ms", given, "the URL has precedence")
	silent, err := other.Begin(t.Context())
	require.NoError(t, err)
	_, err = silent.Exec(t.Context(), "UPDATE held SET id = 2")
	require.NoError(t, err)
	_, err = pool.Exec(t.Context(), "UPDATE held SET id = 3 WHERE id = 1")
	require.NoError(t, err)
	require.True(t, db.Unavailable(silent.Commit(t.Context())), "it may do the same later")
}
