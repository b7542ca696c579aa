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

func TestSlotsAreUsedAgain(t *testing.T) {
	t.Parallel()
	root := openDir(t)
	earlier := filepath.Join(root, "slot-0-earlier-boot")
	require.NoError(t, os.Mkdir(earlier, 0o755))
	take := func() *slot {
		began := time.Now()
		s, err := takeSlot(t.Context(), root)
		require.NoError(t, err)
		t.Logf("taken in %v", time.Since(began))
		return s
	}
	stop := func(s *slot) {
		s.admin.Close()
		require.NoError(t, s.postgres.Stop(context.Background()))
	}
	template := func(s *slot) int64 {
		return value[int64](t, s.admin, "SELECT oid::int8 FROM pg_database WHERE datname = $1", s.template)
	}

	first := take()
	require.NoDirExists(t, earlier)
	second := take()
	defer stop(second)
	require.NotEqual(t, first.postgres.DSN(), second.postgres.DSN(), "each process has its own server")
	made := template(first)
	for _, name := range []string{newName(), templatePrefix + "earlier", templatePrefix + "earlier_new"} {
		_, err := first.admin.Exec(t.Context(), "CREATE DATABASE "+name)
		require.NoError(t, err)
	}
	stop(first)

	third := take()
	require.Equal(t, first.postgres.DSN(), third.postgres.DSN(), "a free slot is taken again")
	require.Equal(t, made, template(third), "with its template")
	left := value[int](t, third.admin, "SELECT count(*) FROM pg_database WHERE starts_with(datname, 'callwright_')")
	require.Equal(t, 1, left, "only the template of this schema")
	stop(third)

	damaged, err := filepath.Glob(filepath.Join(root, bootID()+"-0", "cluster", "global", "pg_control"))
	require.NoError(t, err)
	require.Len(t, damaged, 1)
	require.NoError(t, os.Remove(damaged[0]))
	fourth := take()
	require.Equal(t, first.postgres.DSN(), fourth.postgres.DSN(), "a damaged slot is made anew")
	stop(fourth)
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
