package db

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	// migrationLock is the advisory lock under which one process at a time migrates.
	migrationLock = 0x63616c6c // "call"
	// lockTimeout is how long a statement of a migration waits for a lock. While it waits, all that comes after it waits too:
	// a migration that cannot have its lock soon fails, and the product works on.
	lockTimeout = 5 * time.Second
)

// Migrate brings the database to the current version: ours, then River's. Any number of processes may ask at once; one
// works, the others wait for it and find nothing left to do. It is ErrBeforeBaseline for a database that an earlier
// development version made, and an error for one whose River schema is newer than this program.
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if err := migrate(ctx, pool, files, lockTimeout); err != nil {
		return err
	}
	return lookForForms(ctx, pool) // there was nothing to see when the pool was opened
}

func migrate(ctx context.Context, pool *pgxpool.Pool, files fs.FS, patience time.Duration) (err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("acquire connection: %w", err)
	}
	defer conn.Release()
	if err := checkVersion(conn.Conn()); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", migrationLock); err != nil {
		return fmt.Errorf("lock migrations: %w", err)
	}
	defer func() {
		_, unlockErr := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", migrationLock)
		err = errors.Join(err, unlockErr)
	}()

	lines, err := migrationStatus(ctx, pool, files)
	if err == nil {
		err = checkRiver(lines)
	}
	if err != nil {
		return err
	}
	sessions, err := migrationSessions(ctx, pool, patience)
	if err != nil {
		return err
	}
	defer sessions.Close()
	if err = migrateOwn(ctx, sessions, files); err == nil {
		err = migrateRiver(ctx, sessions)
	}
	if err == nil {
		err = tuneRiver(ctx, sessions)
	}
	return explainTimeout(err, patience)
}

// migrationSessions connects as pool does, to sessions that wait for locks no longer than patience.
func migrationSessions(ctx context.Context, pool *pgxpool.Pool, patience time.Duration) (*pgxpool.Pool, error) {
	config := pool.Config()
	config.MaxConns, config.MinConns = 2, 0
	prepare := config.AfterConnect
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if prepare != nil {
			if err := prepare(ctx, conn); err != nil {
				return err
			}
		}
		_, err := conn.Exec(ctx, fmt.Sprintf("SET lock_timeout = %d", patience.Milliseconds()))
		return err
	}
	sessions, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect for migrations: %w", err)
	}
	return sessions, nil
}

func migrateOwn(ctx context.Context, sessions *pgxpool.Pool, files fs.FS) error {
	sqlDB := stdlib.OpenDBFromPool(sessions)
	defer func() { _ = sqlDB.Close() }() // closes nothing of the pool
	provider, err := goose.NewProvider(goose.DialectPostgres, sqlDB, files)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

func migrateRiver(ctx context.Context, sessions *pgxpool.Pool) error {
	migrator, err := riverMigrator(sessions)
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate river: %w", err)
	}
	return nil
}

// DroppedRiverIndexes are River's indexes of what jobs say and of their kinds, for searches that neither River nor anybody here
// makes. They would be a fifth of what a direct call costs Postgres.
var DroppedRiverIndexes = []string{"river_job_args_index", "river_job_metadata_index", "river_job_kind"}

// tuneRiver drops these indexes and leaves room for the next version of a job beside it: what an update repeats of the version
// before is written once where both are on a page. Jobs that are over leave the index by which jobs are fetched. A database that
// is tuned it leaves alone.
func tuneRiver(ctx context.Context, sessions *pgxpool.Pool) error {
	var there []string
	var partial bool
	err := sessions.QueryRow(ctx, `SELECT
		coalesce((SELECT array_agg(name) FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL), '{}'),
		EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass($2) AND indpred IS NOT NULL)`,
		DroppedRiverIndexes, fetchingIndex).Scan(&there, &partial)
	if err != nil {
		return fmt.Errorf("look for river's indexes: %w", err)
	}
	if len(there) > 0 {
		tune := "ALTER TABLE river_job SET (fillfactor = 50); DROP INDEX IF EXISTS " + strings.Join(there, ", ")
		if _, err := sessions.Exec(ctx, tune); err != nil {
			return fmt.Errorf("drop river's indexes: %w", err)
		}
	}
	if partial {
		return nil
	}
	return shortenFetchingIndex(ctx, sessions)
}

// fetchingIndex is by what River finds jobs that are due, and we what waits and runs. Nobody looks in it for jobs that are over,
// which had an entry in it for six hours all the same.
const fetchingIndex = "river_job_prioritized_fetching_index"

// shortenFetchingIndex builds the index anew beside the work, and then has it take the other's place. One whose building was
// interrupted is invalid, and built again.
func shortenFetchingIndex(ctx context.Context, sessions *pgxpool.Pool) error {
	const shorter = "river_job_fetching_building"
	conn, err := sessions.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("acquire connection: %w", err)
	}
	defer conn.Release()
	for _, statement := range []string{
		"SET lock_timeout = 0", // for transactions that run as long as they need, as in the files
		"DROP INDEX CONCURRENTLY IF EXISTS " + shorter,
		"CREATE INDEX CONCURRENTLY " + shorter + ` ON river_job (state, queue, priority, scheduled_at, id)
			WHERE state IN ('available', 'pending', 'retryable', 'running', 'scheduled')`,
		fmt.Sprintf("SET lock_timeout = %d", lockTimeout.Milliseconds()),
		fmt.Sprintf("BEGIN; DROP INDEX IF EXISTS %s; ALTER INDEX %s RENAME TO %[1]s; COMMIT", fetchingIndex, shorter),
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("build river's index of jobs that are not over: %w", err)
		}
	}
	return nil
}

func riverMigrator(pool *pgxpool.Pool) (*rivermigrate.Migrator[pgx.Tx], error) {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("read river's migrations: %w", err)
	}
	return migrator, nil
}

func explainTimeout(err error, patience time.Duration) error {
	const lockNotAvailable = "55P03"
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == lockNotAvailable {
		return fmt.Errorf("a migration waited %s for a lock that a running transaction holds, run `callwright migrate` again: %w",
			patience, err)
	}
	return err
}
