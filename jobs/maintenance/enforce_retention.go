package maintenance

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/erasure"
	"github.com/callwright/callwright/jobs/events"
)

const (
	retentionTime  = 5 * time.Minute // of one run; the rest follows
	retentionPause = 10 * time.Second
	callsPerBatch  = 200
	eventsPerBatch = 1000
)

// EnforceRetentionArgs asks for what was kept for its days to be removed.
type EnforceRetentionArgs struct{}

// Kind implements river.JobArgs.
func (EnforceRetentionArgs) Kind() string { return "enforce_retention" }

// EnforceRetentionWorker removes events, transcripts, recordings, calls and entries of audits whose days are over, oldest first
// and in short transactions. After each it rests as long as that took, so that much to do takes no more than half a connection.
// It runs periodically, and is safe to interrupt and to run twice.
type EnforceRetentionWorker struct {
	river.WorkerDefaults[EnforceRetentionArgs]
	DB      db.Beginner
	Default Retention
	Now     func() time.Time
}

// Timeout leaves time for the last batch.
func (w *EnforceRetentionWorker) Timeout(*river.Job[EnforceRetentionArgs]) time.Duration {
	return 2 * retentionTime
}

// Work implements river.Worker.
func (w *EnforceRetentionWorker) Work(ctx context.Context, _ *river.Job[EnforceRetentionArgs]) error {
	accounts, err := dbsqlc.New().RetentionListAccounts(ctx, w.DB)
	if err != nil {
		return fmt.Errorf("list accounts: %w", err)
	}
	began := time.Now()
	for _, account := range accounts {
		for _, one := range w.expiries(account.ID, w.Default.ofRow(account)) {
			if one.days == 0 {
				continue
			}
			if err := w.expire(ctx, one, began.Add(retentionTime)); err != nil {
				return err
			}
			if time.Since(began) > retentionTime {
				return river.JobSnooze(retentionPause)
			}
		}
	}
	return nil
}

// expiry removes the oldest of something.
type expiry struct {
	days  int32
	batch int
	run   func(ctx context.Context, tx pgx.Tx, before time.Time) (int, error)
}

func (w *EnforceRetentionWorker) expiries(accountID uuid.UUID, days Retention) []expiry {
	return []expiry{
		{days.Events, eventsPerBatch, func(ctx context.Context, tx pgx.Tx, before time.Time) (int, error) {
			return events.Expire(ctx, tx, accountID, before, eventsPerBatch)
		}},
		{days.Calls, callsPerBatch, func(ctx context.Context, tx pgx.Tx, before time.Time) (int, error) {
			return erasure.ExpireCalls(ctx, tx, river.ClientFromContext[pgx.Tx](ctx), accountID, before, callsPerBatch)
		}},
		{days.Transcripts, callsPerBatch, func(ctx context.Context, tx pgx.Tx, before time.Time) (int, error) {
			return erasure.ExpireTranscripts(ctx, tx, accountID, before, callsPerBatch)
		}},
		{days.Recordings, callsPerBatch, func(ctx context.Context, tx pgx.Tx, before time.Time) (int, error) {
			return erasure.ExpireRecordings(ctx, tx, river.ClientFromContext[pgx.Tx](ctx), accountID, before, callsPerBatch)
		}},
		{days.Audit, eventsPerBatch, func(ctx context.Context, tx pgx.Tx, before time.Time) (int, error) {
			removed, err := dbsqlc.New().AuditEntryDeleteExpired(ctx, tx,
				&dbsqlc.AuditEntryDeleteExpiredParams{AccountID: accountID, Before: before, Max: eventsPerBatch})
			return int(removed), err
		}},
	}
}

// expire removes batches until one is not full, or the time is over.
func (w *EnforceRetentionWorker) expire(ctx context.Context, one expiry, until time.Time) error {
	before := w.Now().AddDate(0, 0, -int(one.days))
	for {
		began := time.Now()
		removed, err := db.WithTx(ctx, w.DB, func(tx pgx.Tx) (int, error) { return one.run(ctx, tx, before) })
		if err != nil {
			return err
		}
		if removed < one.batch || time.Now().After(until) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Since(began)):
		}
	}
}
