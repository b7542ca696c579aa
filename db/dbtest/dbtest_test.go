package dbtest

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/embedded"
)

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func value[T any](t *testing.T, from querier, sql string, args ...any) T {
	t.Helper()
	var answer T
	require.NoError(t, from.QueryRow(t.Context(), sql, args...).Scan(&answer))
	return answer
}

const tableExists = "SELECT to_regclass($1) IS NOT NULL"

func TestPoolIsMigratedAndOwn(t *testing.T) {
	t.Parallel()
	one, two := Pool(t), Pool(t)
	require.NoError(t, db.CheckMigrated(t.Context(), one))
	require.True(t, value[bool](t, one, tableExists, "river_job"))
	_, err := one.Exec(t.Context(), "CREATE TABLE only_here ()")
	require.NoError(t, err)
	require.False(t, value[bool](t, two, tableExists, "only_here"))
}

func TestDatabaseIsDropped(t *testing.T) {
	t.Parallel()
	var name string
	var left *pgxpool.Pool
	t.Run("test", func(t *testing.T) {
		var err error
		left, err = pgxpool.New(context.Background(), DSN(t))
		require.NoError(t, err)
		name = value[string](t, left, "SELECT current_database()")
	})
	defer left.Close() // still connected when the database was dropped
	server, err := thisProcess()
	require.NoError(t, err)
	there, err := server.exists(t.Context(), name)
	require.NoError(t, err)
	require.False(t, there)
}

func TestTxIsRolledBack(t *testing.T) {
	t.Parallel()
	t.Run("test", func(t *testing.T) {
		tx := Tx(t)
		_, err := tx.Exec(t.Context(), "CREATE TABLE rolled_back ()")
		require.NoError(t, err)
		require.True(t, value[bool](t, tx, tableExists, "rolled_back"))
	})
	tx := Tx(t)
	require.False(t, value[bool](t, tx, tableExists, "rolled_back"))
	require.True(t, value[bool](t, tx, tableExists, "river_job"))
	require.NoError(t, tx.Rollback(t.Context()), "a test may end its transaction itself")
}

// openDir is a folder that the user Postgres runs as can enter.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "dbtest-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

func TestPrivateServerReusesAndRepairsItsTemplate(t *testing.T) {
	t.Parallel()
	root := openDir(t)
	open := func() *server {
		began := time.Now()
		s, err := openPrivate(t.Context(), root)
		require.NoError(t, err)
		t.Logf("opened in %v", time.Since(began))
		return s
	}
	processes := func() []string {
		folders, err := filepath.Glob(filepath.Join(root, processPrefix+"*"))
		require.NoError(t, err)
		return folders
	}
	templateTime := func() time.Time {
		made, err := filepath.Glob(filepath.Join(root, templatePrefix+"*", "cluster", "PG_VERSION"))
		require.NoError(t, err)
		require.Len(t, made, 1)
		info, err := os.Stat(made[0])
		require.NoError(t, err)
		return info.ModTime()
	}

	first := open()
	made := templateTime()
	second := open()
	require.Len(t, processes(), 2, "a running server is not swept away")
	require.Equal(t, made, templateTime(), "one template serves all")
	require.NoError(t, first.close())
	require.NoError(t, second.close())

	controlFile, err := filepath.Glob(filepath.Join(root, templatePrefix+"*", "cluster", "global", "pg_control"))
	require.NoError(t, err)
	require.Len(t, controlFile, 1)
	require.NoError(t, os.Remove(controlFile[0]))
	third := open()
	require.Len(t, processes(), 1, "ended servers are swept away, and so is the failed one")
	require.NotEqual(t, made, templateTime(), "a damaged template is made anew")
	require.NoError(t, third.close())
}

func TestSweepKeepsRecentTemplates(t *testing.T) {
	t.Parallel()
	root := openDir(t)
	yesterday := time.Now().Add(-2 * templateLife)
	for _, name := range []string{"template-current", "template-old", "template-recent", "process-1-x", "postgres", "other"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, name), 0o755))
		if name != "template-recent" {
			require.NoError(t, os.Chtimes(filepath.Join(root, name), yesterday, yesterday))
		}
	}
	sweep(t.Context(), root, "template-current")
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	require.Equal(t, []string{"other", "postgres", "template-current", "template-recent"}, left)
}

func TestGivenServer(t *testing.T) {
	t.Parallel()
	given, err := embedded.Start(t.Context(), embedded.Config{Dir: openDir(t), Settings: fastSettings()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, given.Stop(context.Background())) })

	first, err := openGiven(t.Context(), given.DSN())
	require.NoError(t, err)
	pool, err := pgxpool.New(t.Context(), first.database(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	require.NoError(t, db.CheckMigrated(t.Context(), pool))
	shared, err := first.shared()
	require.NoError(t, err)
	require.NoError(t, db.CheckMigrated(t.Context(), shared))
	template := "SELECT oid::int8 FROM pg_database WHERE datname = $1"
	made := value[int64](t, first.admin, template, first.template)

	for _, name := range []string{"callwright_test_1000_x", "callwright_test_mine", "unrelated"} {
		_, err := first.admin.Exec(t.Context(), "CREATE DATABASE "+name)
		require.NoError(t, err)
	}
	second, err := openGiven(t.Context(), given.DSN())
	require.NoError(t, err)
	require.Equal(t, made, value[int64](t, second.admin, template, first.template), "the template is made once")
	for name, want := range map[string]bool{
		"callwright_test_1000_x": false, "callwright_test_mine": true, "unrelated": true,
		value[string](t, pool, "SELECT current_database()"): true,
	} {
		there, err := second.exists(t.Context(), name)
		require.NoError(t, err)
		require.Equal(t, want, there, name)
	}
}

func TestURLOfAnotherDatabase(t *testing.T) {
	t.Parallel()
	for original, want := range map[string]string{
		"postgres://u:p@host:5433/postgres?sslmode=disable": "postgres://u:p@host:5433/own?sslmode=disable",
		"postgresql://host":                      "postgresql://host/own",
		"postgres://u@/postgres?host=%2Ftmp%2Fs": "postgres://u@/own?host=%2Ftmp%2Fs",
		"host=/tmp/s user=u dbname=postgres":     "host=/tmp/s user=u dbname=postgres dbname=own",
	} {
		config, err := pgxpool.ParseConfig(original)
		require.NoError(t, err)
		admin, err := pgxpool.NewWithConfig(t.Context(), config)
		require.NoError(t, err)
		t.Cleanup(admin.Close)
		url := (&server{admin: admin}).url("own")
		require.Equal(t, want, url)
		parsed, err := pgx.ParseConfig(url)
		require.NoError(t, err)
		require.Equal(t, "own", parsed.Database)
	}
}

func TestSchemaHash(t *testing.T) {
	t.Parallel()
	hash := func(change func(files fstest.MapFS)) string {
		files := fstest.MapFS{
			"db/migrations/0001_a.sql": {Data: []byte("a")},
			"db/river.sql":             {Data: []byte("r")},
			"db/migrate.go":            {Data: []byte("m")},
			"db/other.go":              {Data: []byte("o")},
		}
		change(files)
		hash, err := schemaHash(func() (fs.FS, error) { return files, nil })
		require.NoError(t, err)
		return hash
	}
	same := hash(func(fstest.MapFS) {})
	require.Len(t, same, 12)
	require.Equal(t, same, hash(func(files fstest.MapFS) { files["db/other.go"].Data = []byte("changed") }))
	require.NotEqual(t, same, hash(func(files fstest.MapFS) { files["db/migrations/0001_a.sql"].Data = []byte("b") }))
	require.NotEqual(t, same, hash(func(files fstest.MapFS) { files["db/migrations/0002_b.sql"] = &fstest.MapFile{} }))
	require.NotEqual(t, same, hash(func(files fstest.MapFS) { files["db/river.sql"].Data = []byte("s") }))

	_, err := schemaHash(func() (fs.FS, error) { return fstest.MapFS{}, nil })
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func BenchmarkDatabase(b *testing.B) {
	server, err := thisProcess()
	require.NoError(b, err)
	for b.Loop() {
		name := ownPrefix + "bench"
		_, err := server.admin.Exec(b.Context(), copyOf(server.template, name))
		require.NoError(b, err)
		require.NoError(b, server.drop(b.Context(), name))
	}
}
