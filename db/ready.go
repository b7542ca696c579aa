package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/health"
)

// readyLimit is how long the database may take to say that it is there.
const readyLimit = 2 * time.Second

// Ready returns nil if the database can be worked with, and else a health.Problem.
func Ready(ctx context.Context, pool *pgxpool.Pool) error {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	err := CheckMigrated(ctx, pool)
	words := "the database cannot be worked with"
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrSchema), errors.Is(err, ErrBeforeBaseline):
		words = "the schema of the database is not that of this version: see callwright migrate status"
	case errors.Is(err, context.DeadlineExceeded):
		words = "the database does not answer, or all connections to it are in use"
	case Unavailable(err):
		words = "the database cannot be reached, or serves nobody now"
	}
	return &health.Problem{Words: words, Err: err}
}
