package db

import (
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/stretchr/testify/require"
)

// TestRiverSQL keeps river.sql, from which sqlc learns River's tables, equal to the migrations of the River version
// in go.mod. Run with UPDATE_RIVER_SQL=1 to write it anew.
func TestRiverSQL(t *testing.T) {
	t.Parallel()

	migrator, err := rivermigrate.New[pgx.Tx](riverpgxv5.New(nil), nil)
	require.NoError(t, err)

	var text strings.Builder
	text.WriteString("-- River's own tables, for sqlc only: rivermigrate creates them. Kept current by TestRiverSQL.\n")
	for _, version := range migrator.AllVersions() {
		text.WriteString("\n" + strings.TrimSpace(strings.ReplaceAll(version.SQLUp, "/* TEMPLATE: schema */", "")) + "\n")
	}

	if os.Getenv("UPDATE_RIVER_SQL") != "" {
		require.NoError(t, os.WriteFile("river.sql", []byte(text.String()), 0o644))
	}
	current, err := os.ReadFile("river.sql")
	require.NoError(t, err)
	require.Equal(t, text.String(), string(current), "run UPDATE_RIVER_SQL=1 go test ./db -run TestRiverSQL")
}
