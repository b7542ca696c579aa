package calls

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// placeWait is how long a job waits for a place in its process before another process may have it.
const placeWait = time.Second

// PlaceCallArgs dispatches a call: the account's oldest queued one, which usually is the one that is named.
type PlaceCallArgs struct {
	AccountID uuid.UUID `json:"account_id"`
	CallID    uuid.UUID `json:"call_id"`
}

// Kind implements river.JobArgs.
func (PlaceCallArgs) Kind() string { return "place_call" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (PlaceCallArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queue.Calls, MaxAttempts: queue.MaxAttempts}
}

// PlaceCallWorker claims a call, places it and lasts as long as it does, so that a graceful stop waits for it.
//
// Nobody is rung twice: the claim commits before the INVITE leaves, and a call is claimed once. A call whose process died
// after the claim is ended by whoever finds that process dead.
type PlaceCallWorker struct {
	river.WorkerDefaults[PlaceCallArgs]
	db        db.Beginner
	dialer    Dialer
	processID string
	claims    *db.Batcher[*dispatch, *dbsqlc.Call]
}

// dispatch is a job that has a place for whichever call it gets.
type dispatch struct {
	*PlaceCallArgs
	place Place
}

// NewPlaceCallWorker places calls with dialer in the name of the process.
func NewPlaceCallWorker(beginner db.Beginner, dialer Dialer, processID string) *PlaceCallWorker {
	w := &PlaceCallWorker{db: beginner, dialer: dialer, processID: processID}
	w.claims = db.NewFairBatcher(w.claim, func(d *dispatch) uuid.UUID { return d.AccountID })
	return w
}

// Timeout lets a call last; the session bounds it by max_duration_seconds.
func (w *PlaceCallWorker) Timeout(*river.Job[PlaceCallArgs]) time.Duration { return -1 }

// Work implements river.Worker.
func (w *PlaceCallWorker) Work(ctx context.Context, job *river.Job[PlaceCallArgs]) error {
	place, ok := w.dialer.Reserve(ctx, placeWait)
	if !ok {
		return river.JobSnooze(0)
	}
	call, err := w.claims.Do(ctx, &dispatch{&job.Args, place})
	if call == nil || err != nil { // nothing is queued, or the account has no place
		place.Release()
		return err
	}
	(&claimed{place: place, call: call}).dial(ctx)
	return nil
}

// claim returns the claimed calls by the jobs that dial them.
func (w *PlaceCallWorker) claim(ctx context.Context, waiting []*dispatch) (map[*dispatch]*dbsqlc.Call, error) {
	jobs, byArgs := make([]*PlaceCallArgs, len(waiting)), make(map[*PlaceCallArgs]*dispatch, len(waiting))
	for i, one := range waiting {
		jobs[i], byArgs[one.PlaceCallArgs] = one.PlaceCallArgs, one
	}
	calls := map[*dispatch]*dbsqlc.Call{}
	err := claimInTx(ctx, db.PlanOnce(w.db), func(tx pgx.Tx, hold func(Place, uuid.UUID)) error {
		found, err := Claim(ctx, tx, river.ClientFromContext[pgx.Tx](ctx), jobs, w.processID)
		for args, call := range found {
			calls[byArgs[args]] = call
			hold(byArgs[args].place, call.ID)
		}
		return err
	})
	return calls, err
}
