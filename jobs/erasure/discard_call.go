package erasure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// unreportedWait is how long a deleted call waits between two looks at whether its customer was told of its end.
const unreportedWait = 5 * time.Second

// DiscardCallArgs asks for what a deleted call holds to be removed.
type DiscardCallArgs struct {
	CallID uuid.UUID `json:"call_id"`
}

// Kind implements river.JobArgs.
func (DiscardCallArgs) Kind() string { return "discard_call" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (DiscardCallArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// DiscardCallWorker empties a deleted call once its report is written, which is made of what it empties. Running twice
// is harmless.
type DiscardCallWorker struct {
	river.WorkerDefaults[DiscardCallArgs]
	DB db.Beginner
}

// Work implements river.Worker.
func (w *DiscardCallWorker) Work(ctx context.Context, job *river.Job[DiscardCallArgs]) error {
	reported, err := db.WithTx(ctx, w.DB, func(tx pgx.Tx) (bool, error) {
		call, err := dbsqlc.New().CallGetDeleted(ctx, tx, &dbsqlc.CallGetDeletedParams{ID: job.Args.CallID})
		if err != nil || !call.Reported {
			return errors.Is(err, pgx.ErrNoRows), ignoreNoRows(err)
		}
		who := person{accountID: call.AccountID, calls: []uuid.UUID{job.Args.CallID}}
		if err := eraseEach(ctx, tx, &who, callContents...); err != nil {
			return false, err
		}
		return true, discardRecordings(ctx, tx, river.ClientFromContext[pgx.Tx](ctx), &who)
	})
	if err != nil {
		return fmt.Errorf("discard call: %w", err)
	}
	if !reported {
		return river.JobSnooze(unreportedWait)
	}
	return nil
}

func ignoreNoRows(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}
