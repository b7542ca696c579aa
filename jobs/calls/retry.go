package calls

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// scheduleRetries schedules the next attempts of scheduled calls whose retry plans name how these calls ended, such as busy.
// The query weighs the plan: queries/scheduled_call.sql.
func scheduleRetries(ctx context.Context, tx pgx.Tx, in queue.Inserter, callIDs []uuid.UUID) error {
	followed, err := dbsqlc.New().ScheduledCallFollow(ctx, tx, &dbsqlc.ScheduledCallFollowParams{CallIds: callIDs})
	if err != nil {
		return fmt.Errorf("follow scheduled calls: %w", err)
	}
	again := slices.DeleteFunc(followed, func(scheduled *dbsqlc.ScheduledCall) bool {
		return scheduled.Status != "scheduled" // no attempts are left
	})
	return Schedule(ctx, tx, in, again...)
}
