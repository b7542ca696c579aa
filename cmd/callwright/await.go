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

// awaitMigrated is openMigrated for processes that outlive Postgres's absence later too: see untilThere.
func (f databaseFlags) awaitMigrated(ctx context.Context, maxConns int32, logger *slog.Logger) (*pgxpool.Pool, error) {
	return untilThere(ctx, logger, func() (*pgxpool.Pool, error) { return f.openMigrated(ctx, maxConns) })
}

// untilThere does one step of how a process begins, and again while Postgres is away: it waits until somebody answers, and says
// so once. What Postgres answers counts: a wrong password or a schema of another version ends the process.
func untilThere[T any](ctx context.Context, logger *slog.Logger, begin func() (T, error)) (T, error) {
	waits := false
	for {
		begun, err := begin()
		switch {
		case err == nil:
			if waits {
				logger.InfoContext(ctx, "the database is there")
			}
			return begun, nil
		case waits && ctx.Err() != nil:
			return begun, &statusError{0, "asked to end while the database was away"}
		case !db.Away(err):
			return begun, err
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
