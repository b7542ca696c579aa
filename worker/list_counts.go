package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/jobs/maintenance"
)

// foldListCounts folds the counts of lists every second. The lists are right without it, but each change since the last
// time makes their totals a little slower.
func foldListCounts(ctx context.Context, pool *pgxpool.Pool, logger *slog.Logger) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := maintenance.FoldListCounts(ctx, pool); err != nil && ctx.Err() == nil {
			logger.ErrorContext(ctx, "list counts not folded", "error", err)
		}
	}
}
