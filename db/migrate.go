package db

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock is the advisory lock under which one process at a time migrates.
const migrationLock = 0x63616c6c // "call"

// Migrate brings the database to the current version: ours, then River's. Any number of processes may ask at once;
// one works, the others wait for it and find nothing left to do.
func Migrate(ctx context.Context, pool *pgxpool.Pool) (err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("acquire connection: %w", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", migrationLock); err != nil {
		return fmt.Errorf("lock migrations: %w", err)
	}
	defer func() {
		_, unlockErr := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", migrationLock)
		err = errors.Join(err, unlockErr)
	}()

	if err := migrateOurs(ctx, pool); err != nil {
		return err
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("read river's migrations: %w", err)
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate river: %w", err)
	}
	return nil
}

func migrateOurs(ctx context.Context, pool *pgxpool.Pool) error {
	provider, closeDB, err := migrationProvider(pool)
	if err != nil {
		return err
	}
	defer closeDB()
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// CheckMigrated fails when the database is not at the version of this program.
func CheckMigrated(ctx context.Context, pool *pgxpool.Pool) error {
	provider, closeDB, err := migrationProvider(pool)
	if err != nil {
		return err
	}
	defer closeDB()
	pending, err := provider.HasPending(ctx)
	if err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	if pending {
		return errors.New("the database is not migrated to this version: run `callwright migrate`")
	}
	return nil
}

func migrationProvider(pool *pgxpool.Pool) (*goose.Provider, func(), error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, nil, fmt.Errorf("read migrations: %w", err)
	}
	sqlDB := stdlib.OpenDBFromPool(pool)
	closeDB := func() { _ = sqlDB.Close() } // closes nothing of the pool
	provider, err := goose.NewProvider(goose.DialectPostgres, sqlDB, files)
	if err != nil {
		closeDB()
		return nil, nil, fmt.Errorf("read migrations: %w", err)
	}
	return provider, closeDB, nil
}
