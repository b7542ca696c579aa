// Package maintenance removes what has expired, folds what was counted and compares the file store with the rows. It knows
// tables, keys and ages; it must not know what they are for.
package maintenance

import (
	"context"
	"fmt"

	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db/dbsqlc"
)

// PruneExpiredArgs asks for what has expired to be deleted.
type PruneExpiredArgs struct{}

// Kind implements river.JobArgs.
func (PruneExpiredArgs) Kind() string { return "prune_expired" }

// PruneExpiredWorker deletes idempotency keys after their day, mail and text messages after their month, records of
// instant agents that nobody can ask for any more, numbers that were not called for an hour, what accounts spent three months
// ago, wrong passwords after their day, web tokens a week after theirs, sessions and links a day after their end, people who
// belong to no account, configurations that assistants had before all calls that are left, and counts that have come down to
// nothing.
// It runs periodically.
type PruneExpiredWorker struct {
	river.WorkerDefaults[PruneExpiredArgs]
	DB dbsqlc.DBTX
}

// Work implements river.Worker.
func (w *PruneExpiredWorker) Work(ctx context.Context, _ *river.Job[PruneExpiredArgs]) error {
	if _, err := dbsqlc.New().IdempotencyKeyDeleteExpired(ctx, w.DB); err != nil {
		return fmt.Errorf("delete expired idempotency keys: %w", err)
	}
	if _, err := dbsqlc.New().MailDeleteExpired(ctx, w.DB); err != nil {
		return fmt.Errorf("delete expired mail: %w", err)
	}
	if _, err := dbsqlc.New().InstantAgentDeleteExpired(ctx, w.DB); err != nil {
		return fmt.Errorf("delete expired instant agents: %w", err)
	}
	if _, err := dbsqlc.New().SMSDeleteExpired(ctx, w.DB); err != nil {
		return fmt.Errorf("delete expired text messages: %w", err)
	}
	if _, err := dbsqlc.New().DialedNumberDeleteExpired(ctx, w.DB); err != nil {
		return fmt.Errorf("delete calls to numbers: %w", err)
	}
	if _, err := dbsqlc.New().DailySpendingDeleteExpired(ctx, w.DB); err != nil {
		return fmt.Errorf("delete expired spending: %w", err)
	}
	if _, err := dbsqlc.New().OperatorAttemptDeleteExpired(ctx, w.DB); err != nil {
		return fmt.Errorf("delete expired attempts at the operator's password: %w", err)
	}
	if _, err := dbsqlc.New().WebTokenDeleteExpired(ctx, w.DB); err != nil {
		return fmt.Errorf("delete expired web tokens: %w", err)
	}
	if _, err := dbsqlc.New().SessionDeleteExpired(ctx, w.DB); err != nil {
		return fmt.Errorf("delete ended sessions: %w", err)
	}
	if _, err := dbsqlc.New().LoginLinkDeleteExpired(ctx, w.DB); err != nil {
		return fmt.Errorf("delete expired links: %w", err)
	}
	if _, err := dbsqlc.New().SignInAttemptDeleteExpired(ctx, w.DB); err != nil {
		return fmt.Errorf("delete expired attempts to sign in: %w", err)
	}
	if _, err := dbsqlc.New().PersonDeleteForgotten(ctx, w.DB); err != nil {
		return fmt.Errorf("delete people without an account: %w", err)
	}
	if _, err := dbsqlc.New().AssistantVersionDeleteUnused(ctx, w.DB); err != nil {
		return fmt.Errorf("delete versions of assistants: %w", err)
	}
	if err := dbsqlc.New().ListCountDeleteEmpty(ctx, w.DB); err != nil {
		return fmt.Errorf("delete empty list counts: %w", err)
	}
	return nil
}
