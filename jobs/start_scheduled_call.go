package jobs

import (
	"context"
	"fmt"
	"slices"
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
	return river.InsertOpts{Queue: QueueSchedule, MaxAttempts: maxAttempts}
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
// event and its job are written, in one transaction. Calls that fall due together share it.
type StartScheduledCallWorker struct {
	river.WorkerDefaults[StartScheduledCallArgs]
	*Deps
	starts *db.Batcher[uuid.UUID, time.Duration]
}

func newStartScheduledCallWorker(deps *Deps) *StartScheduledCallWorker {
	w := &StartScheduledCallWorker{Deps: deps}
	w.starts = db.NewBatcher(w.start)
	return w
}

// NextRetry is soon, for a call that is due.
func (w *StartScheduledCallWorker) NextRetry(job *river.Job[StartScheduledCallArgs]) time.Time {
	return retryAt(w.Now(), job.Attempt)
}

// Work implements river.Worker.
func (w *StartScheduledCallWorker) Work(ctx context.Context, job *river.Job[StartScheduledCallArgs]) error {
	wait, err := w.starts.Do(ctx, job.Args.ScheduledCallID)
	if err != nil {
		return fmt.Errorf("start scheduled call: %w", err)
	}
	if wait > 0 {
		return river.JobSnooze(wait)
	}
	return nil
}

// start answers how long to sleep on, by scheduled call; those without an entry are done, or were before.
func (w *StartScheduledCallWorker) start(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]time.Duration, error) {
	return db.WithTx(ctx, w.DB, func(tx pgx.Tx) (map[uuid.UUID]time.Duration, error) {
		queries := dbsqlc.New()
		rows, err := queries.ScheduledCallLockMany(ctx, tx, &dbsqlc.ScheduledCallLockManyParams{Ids: ids})
		if err != nil {
			return nil, fmt.Errorf("lock scheduled calls: %w", err)
		}
		waits, due := map[uuid.UUID]time.Duration{}, []uuid.UUID{}
		for _, row := range rows {
			wait, err := waitOf(ctx, tx, row)
			if err != nil {
				return nil, err
			}
			if wait > 0 {
				waits[row.ScheduledCall.ID] = wait
			} else {
				due = append(due, row.ScheduledCall.ID)
			}
		}
		if len(due) == 0 {
			return waits, nil
		}
		return waits, makeScheduledCalls(ctx, tx, river.ClientFromContext[pgx.Tx](ctx), due)
	})
}

// waitOf is how long a scheduled call still waits for its time or for its window, and says so in the row.
func waitOf(ctx context.Context, tx pgx.Tx, row *dbsqlc.ScheduledCallLockManyRow) (time.Duration, error) {
	scheduled := &row.ScheduledCall
	if !row.Due {
		return scheduled.ScheduledTime.Sub(row.Now), nil
	}
	if scheduled.Window == nil {
		return 0, nil
	}
	opens, err := scheduled.Window.Opens(row.Now)
	if err != nil {
		return 0, err
	}
	wait := opens.Sub(row.Now)
	if wait <= 0 {
		return 0, nil
	}
	err = dbsqlc.New().ScheduledCallSetExplanation(ctx, tx, &dbsqlc.ScheduledCallSetExplanationParams{
		ID: scheduled.ID, Explanation: new("Waits for its window, which opens at " + opens.UTC().Format(time.RFC3339) + "."),
	})
	if err != nil {
		return 0, fmt.Errorf("explain scheduled call: %w", err)
	}
	return wait, nil
}

func makeScheduledCalls(ctx context.Context, tx pgx.Tx, in Inserter, ids []uuid.UUID) error {
	queries := dbsqlc.New()
	params := &dbsqlc.CallInsertScheduledManyParams{ScheduledCallIds: ids}
	for range ids {
		callID, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("make call id: %w", err)
		}
		params.CallIds = append(params.CallIds, callID)
	}
	calls, err := queries.CallInsertScheduledMany(ctx, tx, params)
	if err != nil {
		return fmt.Errorf("insert calls: %w", err)
	}
	placed := &dbsqlc.ScheduledCallSetPlacedManyParams{}
	for _, call := range calls {
		placed.Ids = append(placed.Ids, *call.ScheduledCallID)
		placed.CallIds = append(placed.CallIds, call.ID)
	}
	if left := without(ids, placed.Ids); len(left) > 0 {
		err := queries.ScheduledCallSetNotPlaced(ctx, tx, &dbsqlc.ScheduledCallSetNotPlacedParams{
			Ids: left, Explanation: new("Did not dial: the assistant has no phone number, or the assistant or the contact was deleted."),
		})
		if err != nil {
			return fmt.Errorf("explain scheduled calls: %w", err)
		}
	}
	if len(calls) == 0 {
		return nil
	}
	if err := queries.ScheduledCallSetPlacedMany(ctx, tx, placed); err != nil {
		return fmt.Errorf("set processed: %w", err)
	}
	return CallQueued(ctx, tx, in, calls...)
}

func without(all, some []uuid.UUID) []uuid.UUID {
	return slices.DeleteFunc(slices.Clone(all), func(id uuid.UUID) bool { return slices.Contains(some, id) })
}
