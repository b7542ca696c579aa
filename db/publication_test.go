package db_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// Who upgrades Postgres by logical replication publishes all tables, and Postgres then refuses to delete rows that it cannot name.
func TestAllTablesMayBePublished(t *testing.T) {
	t.Parallel()

	rows, err := dbtest.Tx(t).Query(t.Context(), `SELECT relname::text FROM pg_class
		WHERE relkind IN ('r', 'p') AND relpersistence = 'p' AND relnamespace = 'public'::regnamespace AND relreplident <> 'f'
			AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = pg_class.oid AND indisprimary)`)
	require.NoError(t, err)
	unnamed, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Empty(t, unnamed, "rows without a name")
}
