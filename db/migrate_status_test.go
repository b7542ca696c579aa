package db_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
)

func TestMigrationStatus(t *testing.T) {
	t.Parallel()

	pool := dbtest.Pool(t)
	lines := migrationStatus(t, pool)
	for _, line := range lines {
		require.Positive(t, line.Version, line.Schema)
		require.Equal(t, line.Target, line.Version, line.Schema)
		require.Empty(t, line.Pending, line.Schema)
		require.Empty(t, line.Unknown, line.Schema)
	}

	_, err := pool.Exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
	require.NoError(t, err)
	require.Equal(t, []string{"99999"}, migrationStatus(t, pool)[0].Unknown, "of a newer program")

	_, err = pool.Exec(t.Context(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	require.NoError(t, err)
	for i, line := range migrationStatus(t, pool) {
		require.Zero(t, line.Version, line.Schema)
		require.Equal(t, lines[i].Target, line.Target, line.Schema)
		require.NotEmpty(t, line.Pending, line.Schema)
	}
	var tables int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").Scan(&tables))
	require.Zero(t, tables, "nothing was changed")
}

func migrationStatus(t *testing.T, pool *pgxpool.Pool) []db.MigrationLine {
	t.Helper()
	lines, err := db.MigrationStatus(t.Context(), pool)
	require.NoError(t, err)
	require.Len(t, lines, 2)
	require.Equal(t, "callwright", lines[0].Schema)
	require.Equal(t, "river", lines[1].Schema)
	return lines
}
