package db_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
)

func TestWrites(t *testing.T) {
	t.Parallel()

	dsn := dbtest.DSN(t)
	pool := dbtest.Open(t, dsn)
	writes := func() (packed bool) {
		one, err := db.Open(t.Context(), dsn, 2)
		require.NoError(t, err)
		defer one.Close()
		stop, err := db.ReportProcess(t.Context(), one, "worker", "key")
		require.NoError(t, err)
		defer stop()
		require.NoError(t, db.InTx(t.Context(), one, func(tx pgx.Tx) error {
			packed = db.Writes(tx, db.PackedMessages)
			return nil
		}))
		return packed
	}
	require.True(t, writes(), "nobody has used the database before")

	exec(t, pool, "INSERT INTO seal_key_holder (session, process, key_id) VALUES ('old', 'api of the version before', 'key')")
	require.False(t, writes())
	exec(t, pool, "UPDATE seal_key_holder SET seen_at = now() - interval '61 minutes'")
	require.True(t, writes(), "it runs no more")

	exec(t, pool, "UPDATE stored_form SET written_from = now() + interval '1 minute'")
	require.False(t, writes(), "it may come back")
	exec(t, pool, "DROP TABLE stored_form")
	require.NoError(t, pool.Ping(t.Context()))
	other, err := db.Open(t.Context(), dsn, 2)
	require.NoError(t, err, "whoever migrates opens databases that are not migrated")
	other.Close()
}

// TestWritesOfUsedDatabase migrates a database that somebody uses.
func TestWritesOfUsedDatabase(t *testing.T) {
	t.Parallel()

	pool := dbtest.Pool(t)
	exec(t, pool, "DROP SCHEMA public CASCADE")
	exec(t, pool, "CREATE SCHEMA public")
	before := fstest.MapFS{}
	names, err := filepath.Glob("migrations/*.sql")
	require.NoError(t, err)
	for _, name := range names {
		if filepath.Base(name) < "0031" {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			before[filepath.Base(name)] = &fstest.MapFile{Data: text}
		}
	}
	require.NoError(t, db.MigrateFiles(t.Context(), pool, before, time.Minute))
	exec(t, pool, "INSERT INTO account (id, email, name, credits) VALUES (gen_random_uuid(), 'user', 'user', 0)")
	require.NoError(t, db.Migrate(t.Context(), pool))

	var hours float64
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT extract(epoch FROM written_from - now()) / 3600 FROM stored_form").Scan(&hours))
	require.InDelta(t, 24, hours, 1)
}

// A pool that migrated a new database writes what the database has from then on.
func TestWritesOnceMigrated(t *testing.T) {
	t.Parallel()

	dsn := dbtest.DSN(t)
	before := dbtest.Open(t, dsn)
	exec(t, before, "DROP SCHEMA public CASCADE")
	exec(t, before, "CREATE SCHEMA public")

	pool := dbtest.Open(t, dsn)
	writes := func() (short bool) {
		require.NoError(t, db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
			short = db.Writes(tx, db.ShortCalls)
			return nil
		}))
		return short
	}
	require.False(t, writes())
	require.NoError(t, db.Migrate(t.Context(), pool))
	require.True(t, writes())
}
