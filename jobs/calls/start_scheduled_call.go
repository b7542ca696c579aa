package calls

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// StartScheduledCallArgs is the alarm of a scheduled call.
type StartScheduledCallArgs struct {
	ScheduledCallID uuid.UUID `json:"scheduled_call_id"`
}

// Kind implements river.JobArgs.
func (StartScheduledCallArgs) Kind() string { return "start_scheduled_call" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (StartScheduledCallArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queue.Schedule, MaxAttempts: queue.MaxAttempts}
}

// The calls of one time are to ring at that time, and not when a thousand of them have been fetched and written. So a
// worker fetches an alarm AlarmLead before its time, waits, and makes the call claimLead before its time if it can dial it
// itself: all that is left for that time is to send the INVITE. From then on the scheduled call counts as processed.
const (
	AlarmLead = claimLead + 2*time.Second
	claimLead = time.Second
)

// Schedule wakes a worker in time for each of the scheduled calls. An alarm that was set before for another time finds
// nothing to do, or sleeps on.
func Schedule(ctx context.Context, tx pgx.Tx, in queue.Inserter, scheduled ...*dbsqlc.ScheduledCall) error {
	alarms := make([]river.InsertManyParams, len(scheduled))
	for i, one := range scheduled {
		alarms[i] = river.InsertManyParams{
			Args:       StartScheduledCallArgs{ScheduledCallID: one.ID},
			InsertOpts: &river.InsertOpts{ScheduledAt: one.ScheduledTime.Add(-AlarmLead)},
		}
	}
	return queue.Insert(ctx, tx, in, alarms)
}

// StartScheduledCallWorker makes the call of a scheduled call that is due: the row turns processed, and the call and its
// events are written, in one transaction, which calls that fall due together share. Where the account has a place and this
// process a place, the call is claimed as it is made, a little before its time, and the job goes on as place_call would: it
// lasts as long as the call. Where not, the call is queued when its time has come.
type StartScheduledCallWorker struct {
	river.WorkerDefaults[StartScheduledCallArgs]
	db        db.Beginner
	dialer    Dialer
	processID string
	times     *db.Batcher[uuid.UUID, *dbsqlc.ScheduledCallListTimesRow]
	starts    *db.Batcher[alarm, started]
}

// NewStartScheduledCallWorker places scheduled calls with dialer in the name of the process.
func NewStartScheduledCallWorker(beginner db.Beginner, dialer Dialer, processID string) *StartScheduledCallWorker {
	w := &StartScheduledCallWorker{db: beginner, dialer: dialer, processID: processID}
	w.times = db.NewBatcher(w.listTimes).Named("schedule_read")
	w.starts = db.NewFairBatcher(w.start, func(a alarm) uuid.UUID { return a.accountID }).Named("schedule_start")
	return w
}

// Close ends what the worker does for many jobs together. No job runs any more.
func (w *StartScheduledCallWorker) Close() {
	w.times.Close()
	w.starts.Close()
}

// Timeout lets a call last, as in place_call.
func (w *StartScheduledCallWorker) Timeout(*river.Job[StartScheduledCallArgs]) time.Duration {
	return -1
}

// Work implements river.Worker.
func (w *StartScheduledCallWorker) Work(ctx context.Context, job *river.Job[StartScheduledCallArgs]) error {
	at, err := w.times.Do(ctx, job.Args.ScheduledCallID)
	if err != nil {
		return fmt.Errorf("read scheduled call: %w", err)
	}
	if at == nil { // canceled, or started before
		return nil
	}
	next := started{wait: max(at.ScheduledTime.Sub(at.Now)-claimLead, 0)}
	for {
		if early := AlarmLead - claimLead; next.wait > early {
			return river.JobSnooze(next.wait - early)
		}
		if !w.sleep(ctx, next.wait) {
			return river.JobSnooze(0)
		}
		next, err = w.starts.Do(context.WithoutCancel(ctx), alarm{at.AccountID, at.ID})
		switch {
		case err != nil:
			return fmt.Errorf("start scheduled call: %w", err)
		case next.claimed != nil:
			next.claimed.dial(ctx)
			return nil
		case next.wait == 0:
			return nil
		}
	}
}

// sleep waits for d. It returns false when the process stops meanwhile: another one takes the alarm over.
func (w *StartScheduledCallWorker) sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-w.dialer.Stopping():
	}
	return false
}

func (w *StartScheduledCallWorker) listTimes(ctx context.Context,
	ids []uuid.UUID) (map[uuid.UUID]*dbsqlc.ScheduledCallListTimesRow, error) {
	rows, err := dbsqlc.New().ScheduledCallListTimes(ctx, w.db, &dbsqlc.ScheduledCallListTimesParams{Ids: ids})
	times := make(map[uuid.UUID]*dbsqlc.ScheduledCallListTimesRow, len(rows))
	for _, row := range rows {
		times[row.ID] = row
	}
	return times, err
}

// start returns what came of alarms; those without an entry are done, or were before.
func (w *StartScheduledCallWorker) start(ctx context.Context, alarms []alarm) (map[alarm]started, error) {
	made := &scheduledStart{
		dialer: w.dialer, processID: w.processID, in: river.ClientFromContext[pgx.Tx](ctx), results: map[alarm]started{},
		places: map[uuid.UUID]Place{},
	}
	err := claimInTx(ctx, w.db, func(tx pgx.Tx, hold func(Place, uuid.UUID)) error { return made.run(ctx, tx, alarms, hold) })
	if err != nil {
		made.release(nil)
		return nil, err
	}
	return made.results, nil
}
