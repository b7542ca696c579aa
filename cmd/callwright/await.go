package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db"
)

// awaitEvery is how often a process that starts looks for a Postgres that is away.
const awaitEvery = time.Second

// awaitMigrated is openMigrated for processes that outlive Postgres's absence later too: it waits until somebody answers, and
// says so once. What Postgres answers counts: a wrong password or a schema of another version ends the process.
func (f databaseFlags) awaitMigrated(ctx context.Context, maxConns int32, logger *slog.Logger) (*pgxpool.Pool, error) {
	waits := false
	for {
		pool, err := f.openMigrated(ctx, maxConns)
		switch {
		case err == nil:
			if waits {
				logger.InfoContext(ctx, "the database is there")
			}
			return pool, nil
		case waits && ctx.Err() != nil:
			return nil, &statusError{0, "asked to end while the database was away"}
		case !db.Away(err):
			return nil, err
		case !waits:
			logger.WarnContext(ctx, "waiting for the database", "error", err)
			waits = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(awaitEvery):
		}
	}
}
