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

// PlaceCallArgs asks for a queued call to be placed.
type PlaceCallArgs struct {
	CallID uuid.UUID `json:"call_id"`
}

// Kind implements river.JobArgs.
func (PlaceCallArgs) Kind() string { return "place_call" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (PlaceCallArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: QueueCalls, MaxAttempts: maxAttempts}
}

// PlaceCallWorker places a call and lasts as long as it does, so that the size of the calls queue bounds the calls of a
// process and a graceful stop waits for them.
//
// Nobody is rung twice: the claim commits before the INVITE leaves, and a job that finds its call claimed does nothing.
// A call whose process died after the claim is ended by whoever finds that process dead.
type PlaceCallWorker struct {
	river.WorkerDefaults[PlaceCallArgs]
	*Deps
	claims *db.Batcher[uuid.UUID, *dbsqlc.Call]
}

func newPlaceCallWorker(deps *Deps) *PlaceCallWorker {
	w := &PlaceCallWorker{Deps: deps}
	w.claims = db.NewBatcher(w.claim)
	return w
}

// Timeout lets a call last; the session bounds it by max_duration_seconds.
func (w *PlaceCallWorker) Timeout(*river.Job[PlaceCallArgs]) time.Duration { return -1 }

// NextRetry follows a claim that failed, in which case nobody was rung.
func (w *PlaceCallWorker) NextRetry(job *river.Job[PlaceCallArgs]) time.Time {
	return retryAt(w.Now(), job.Attempt)
}

// Work implements river.Worker.
func (w *PlaceCallWorker) Work(ctx context.Context, job *river.Job[PlaceCallArgs]) error {
	release := w.Dialer.Reserve(job.Args.CallID)
	call, err := w.claims.Do(ctx, job.Args.CallID)
	if err != nil {
		release()
		return err
	}
	if call == nil { // canceled, or claimed before
		release()
		return nil
	}
	w.Dialer.Dial(ctx, call)
	return nil
}

func (w *PlaceCallWorker) claim(ctx context.Context, callIDs []uuid.UUID) (map[uuid.UUID]*dbsqlc.Call, error) {
	calls, err := db.WithTx(ctx, w.DB, func(tx pgx.Tx) ([]*dbsqlc.Call, error) {
		return ClaimCalls(ctx, tx, river.ClientFromContext[pgx.Tx](ctx), callIDs, w.Dialer.ProcessID())
	})
	if err != nil {
		return nil, err
	}
	claimed := make(map[uuid.UUID]*dbsqlc.Call, len(calls))
	for _, call := range calls {
		claimed[call.ID] = call
	}
	return claimed, nil
}
