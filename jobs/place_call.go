package jobs

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
)

// How long a ticket waits for a line of its process before another process may have it.
const lineWait = time.Second

// PlaceCallArgs is a ticket to start a call: the account's oldest queued one, which usually is the one that is named.
type PlaceCallArgs struct {
	AccountID uuid.UUID `json:"account_id"`
	CallID    uuid.UUID `json:"call_id"`
}

// Kind implements river.JobArgs.
func (PlaceCallArgs) Kind() string { return "place_call" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (PlaceCallArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueCalls, MaxAttempts: maxAttempts}
}

// PlaceCallWorker claims a call, places it and lasts as long as it does, so that a graceful stop waits for it.
//
// Nobody is rung twice: the claim commits before the INVITE leaves, and a call is claimed once. A call whose process died
// after the claim is ended by whoever finds that process dead.
type PlaceCallWorker struct {
	river.WorkerDefaults[PlaceCallArgs]
	*Deps
	claims *db.Batcher[*PlaceCallArgs, *dbsqlc.Call]
}

func newPlaceCallWorker(deps *Deps) *PlaceCallWorker {
	w := &PlaceCallWorker{Deps: deps}
	w.claims = db.NewFairBatcher(w.claim, func(ticket *PlaceCallArgs) uuid.UUID { return ticket.AccountID })
	return w
}

// Timeout lets a call last; the session bounds it by max_duration_seconds.
func (w *PlaceCallWorker) Timeout(*river.Job[PlaceCallArgs]) time.Duration { return -1 }

// Work implements river.Worker.
func (w *PlaceCallWorker) Work(ctx context.Context, job *river.Job[PlaceCallArgs]) error {
	if !w.Dialer.Book(ctx, lineWait) {
		return river.JobSnooze(0)
	}
	call, err := w.claims.Do(context.WithoutCancel(ctx), &job.Args)
	if call == nil || err != nil { // nothing is queued, or the account has no place
		w.Dialer.Unbook()
		return err
	}
	w.Dialer.Dial(ctx, call, time.Time{})
	return nil
}

// claim answers the claimed calls by ticket. They are told to the telephone before the commit makes them visible, so that
// none is taken for lost.
func (w *PlaceCallWorker) claim(ctx context.Context, tickets []*PlaceCallArgs) (map[*PlaceCallArgs]*dbsqlc.Call, error) {
	var claimed map[*PlaceCallArgs]*dbsqlc.Call
	forget := func() {}
	err := db.InTx(ctx, db.PlanOnce(w.DB), func(tx pgx.Tx) (err error) {
		claimed, err = ClaimCalls(ctx, tx, river.ClientFromContext[pgx.Tx](ctx), tickets, w.Dialer.ProcessID())
		ids := make([]uuid.UUID, 0, len(claimed))
		for _, call := range claimed {
			ids = append(ids, call.ID)
		}
		forget = w.Dialer.Expect(ids)
		return err
	})
	if err != nil {
		forget()
		return nil, err
	}
	return claimed, nil
}
