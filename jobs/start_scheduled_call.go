package jobs

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
)

// StartScheduledCallArgs is the alarm of a scheduled call.
type StartScheduledCallArgs struct {
	ScheduledCallID uuid.UUID `json:"scheduled_call_id"`
}

// Kind implements river.JobArgs.
func (StartScheduledCallArgs) Kind() string { return "start_scheduled_call" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (StartScheduledCallArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueSchedule}
}

// SetScheduledCallAlarm wakes a worker at the scheduled call's time. An alarm that was set before for another time finds
// nothing to do, or sleeps on.
func SetScheduledCallAlarm(ctx context.Context, tx pgx.Tx, in Inserter, scheduled *dbsqlc.ScheduledCall) error {
	_, err := in.InsertTx(ctx, tx, StartScheduledCallArgs{ScheduledCallID: scheduled.ID}, &river.InsertOpts{ScheduledAt: scheduled.ScheduledTime})
	if err != nil {
		return fmt.Errorf("set alarm: %w", err)
	}
	return nil
}

// StartScheduledCallWorker makes the call of a scheduled call that is due: the row turns processed, and the call, its
// event and its job are written, in one transaction.
type StartScheduledCallWorker struct {
	river.WorkerDefaults[StartScheduledCallArgs]
	*Deps
}

// NextRetry is soon, for a call that is due.
func (w *StartScheduledCallWorker) NextRetry(*river.Job[StartScheduledCallArgs]) time.Time {
	return w.Now().Add(time.Second)
}

// Work implements river.Worker.
func (w *StartScheduledCallWorker) Work(ctx context.Context, job *river.Job[StartScheduledCallArgs]) error {
	wait, err := db.WithTx(ctx, w.DB, func(tx pgx.Tx) (time.Duration, error) {
		return w.start(ctx, tx, job.Args.ScheduledCallID)
	})
	if err != nil {
		return fmt.Errorf("start scheduled call: %w", err)
	}
	if wait > 0 {
		return river.JobSnooze(wait)
	}
	return nil
}

// start answers how long to sleep on, 0 when there is nothing more to do.
func (w *StartScheduledCallWorker) start(ctx context.Context, tx pgx.Tx, id uuid.UUID) (time.Duration, error) {
	queries := dbsqlc.New()
	row, err := queries.ScheduledCallLock(ctx, tx, &dbsqlc.ScheduledCallLockParams{ID: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	scheduled := &row.ScheduledCall
	if scheduled.Status != "scheduled" {
		return 0, nil
	}
	if !row.Due {
		return scheduled.ScheduledTime.Sub(row.Now), nil
	}
	if scheduled.Window != nil {
		opens, err := scheduled.Window.Opens(row.Now)
		if err != nil {
			return 0, err
		}
		if wait := opens.Sub(row.Now); wait > 0 {
			return wait, queries.ScheduledCallSetExplanation(ctx, tx, &dbsqlc.ScheduledCallSetExplanationParams{
				ID: id, Explanation: new("Waits for its window, which opens at " + opens.UTC().Format(time.RFC3339) + "."),
			})
		}
	}
	return 0, makeScheduledCall(ctx, tx, river.ClientFromContext[pgx.Tx](ctx), scheduled)
}

func makeScheduledCall(ctx context.Context, tx pgx.Tx, in Inserter, scheduled *dbsqlc.ScheduledCall) error {
	queries := dbsqlc.New()
	callID, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("make call id: %w", err)
	}
	processed := &dbsqlc.ScheduledCallSetProcessedParams{ID: scheduled.ID, CallID: &callID}
	call, err := queries.CallInsertScheduled(ctx, tx, &dbsqlc.CallInsertScheduledParams{ID: callID, ScheduledCallID: scheduled.ID})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		processed.CallID = nil
		processed.Explanation = new("Did not dial: the assistant has no phone number, or the assistant or the contact was deleted.")
		return queries.ScheduledCallSetProcessed(ctx, tx, processed)
	case err != nil:
		return fmt.Errorf("insert call: %w", err)
	}
	if err := queries.ScheduledCallSetProcessed(ctx, tx, processed); err != nil {
		return fmt.Errorf("set processed: %w", err)
	}
	return CallQueued(ctx, tx, in, call)
}
