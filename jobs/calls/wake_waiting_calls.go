package calls

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// WakeWaitingCallsArgs asks for queued calls that wait beside a free place to be started.
type WakeWaitingCallsArgs struct{}

// Kind implements river.JobArgs.
func (WakeWaitingCallsArgs) Kind() string { return "wake_waiting_calls" }

// WakeWaitingCallsWorker is for dispatch jobs that an operator deleted or that were lost with a table, and for web calls whose
// API process died before a worker took them: it runs periodically, and usually finds nothing.
type WakeWaitingCallsWorker struct {
	river.WorkerDefaults[WakeWaitingCallsArgs]
	DB db.Beginner
}

// Work implements river.Worker.
func (w *WakeWaitingCallsWorker) Work(ctx context.Context, _ *river.Job[WakeWaitingCallsArgs]) error {
	if err := expireWebOffers(ctx, w.DB, river.ClientFromContext[pgx.Tx](ctx)); err != nil {
		return err
	}
	accounts, err := dbsqlc.New().AccountListLongWaiting(ctx, w.DB)
	if err != nil {
		return fmt.Errorf("list accounts with waiting calls: %w", err)
	}
	for batch := range slices.Chunk(accounts, 256) {
		err := db.InTx(ctx, w.DB, func(tx pgx.Tx) error { return wake(ctx, tx, river.ClientFromContext[pgx.Tx](ctx), batch) })
		if err != nil {
			return fmt.Errorf("wake waiting calls: %w", err)
		}
	}
	return nil
}

// wake writes one dispatch job per call, however often it runs while the call's job waits for a worker. It needs no lock: a
// job too many is spent.
func wake(ctx context.Context, tx pgx.Tx, in queue.Inserter, accounts []uuid.UUID) error {
	held, err := listLoads(ctx, tx, accounts)
	if err != nil {
		return err
	}
	places := map[uuid.UUID]int{}
	for _, id := range accounts {
		if free := held.places(id); free > 0 {
			places[id] = free
		}
	}
	dispatches, err := nextDispatchJobs(ctx, tx, places)
	if err != nil {
		return err
	}
	for i := range dispatches {
		dispatches[i].InsertOpts = &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning,
			rivertype.JobStateScheduled,
		}}}
	}
	return queue.Insert(ctx, tx, in, dispatches)
}
