package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/maintenance"
)

// databaseFlags choose the database.
type databaseFlags struct {
	DatabaseURL string `help:"Postgres to work on, 15 or newer. Workers and migrate need a direct connection; everything else may go through a pooler such as PgBouncer." required:"" env:"DATABASE_URL" placeholder:"URL"`
}

func (f databaseFlags) open(ctx context.Context, maxConns int32) (*pgxpool.Pool, error) {
	if f.DatabaseURL == "" { // Postgres's own library would take that for a local server
		return nil, errors.New("--database-url (DATABASE_URL) is empty")
	}
	pool, err := db.Open(ctx, f.DatabaseURL, maxConns)
	if err != nil {
		return nil, fmt.Errorf("--database-url (DATABASE_URL): %w", err)
	}
	return pool, nil
}

// openMigrated is open for commands that need the schema to be there.
func (f databaseFlags) openMigrated(ctx context.Context, maxConns int32) (*pgxpool.Pool, error) {
	pool, err := f.open(ctx, maxConns)
	if err != nil {
		return nil, err
	}
	if err := db.CheckMigrated(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// poolSize is what is left of a process's connections for its pool.
func poolSize(conns, own int32) (int32, error) {
	if least := own + 2; conns < least {
		return 0, fmt.Errorf("--database-conns: this command takes at least %d", least)
	}
	return conns - own, nil
}

// checkDirect fails for commands that need sessions of their own where a connection pooler hands them out.
func checkDirect(ctx context.Context, pool *pgxpool.Pool) error {
	if err := db.CheckDirect(ctx, pool); err != nil {
		return fmt.Errorf("--database-url: %w: give this command the address of Postgres itself", err)
	}
	return nil
}

// sealFlags give the keys under which secrets are kept.
type sealFlags struct {
	SealKeys string `help:"Keys that seal secrets at rest, ID:BASE64, comma-separated; the first seals, all open. Make one with: callwright seal generate." required:"" env:"CALLWRIGHT_SEAL_KEYS" placeholder:"KEYS"`
}

func (f sealFlags) box() (*seal.Box, error) {
	keys, err := seal.ParseKeys(f.SealKeys)
	if err != nil {
		return nil, fmt.Errorf("--seal-keys: %w", err)
	}
	return seal.New(keys...)
}

// useSealKeys fails when the keys of box are not those of the database.
func useSealKeys(ctx context.Context, pool *pgxpool.Pool, box *seal.Box) error {
	if err := db.UseSealKeys(ctx, pool, box); err != nil {
		return fmt.Errorf("--seal-keys: %w", err)
	}
	return nil
}

// reportProcess is useSealKeys for a process of that kind, and says that it runs until the returned function is called.
func reportProcess(ctx context.Context, pool *pgxpool.Pool, box *seal.Box, kind string) (silence func(), err error) {
	if err := useSealKeys(ctx, pool, box); err != nil {
		return nil, err
	}
	return db.ReportProcess(ctx, pool, kind, box.KeyID())
}

// retentionFlags say for how long things are kept.
type retentionFlags struct {
	Retention map[string]int `help:"Days that transcripts, recordings, events, calls and the audit are kept where an account has none of its own; what is not named, or 0, for ever." mapsep:"," default:"events=90" env:"CALLWRIGHT_RETENTION" placeholder:"NAME=DAYS"`
}

func (f retentionFlags) retention() (maintenance.Retention, error) {
	parsed, err := maintenance.ParseRetention(f.Retention)
	if err != nil {
		return parsed, fmt.Errorf("--retention: %w", err)
	}
	return parsed, nil
}
