package calls

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/queue"
)

// A place_call job dispatches the account's oldest queued call, whichever that is when a place is found. Whoever queues a call
// writes such a dispatch job with it, and whoever frees places writes them for as many waiting calls. A job that finds no place
// is spent: the end of any call that holds one writes the next. So an account has at least as many dispatch jobs as it has both
// places and queued calls, and no call waits beside a free place.

// Enqueue records that call rows were just inserted as queued and asks for the calls to be placed.
func Enqueue(ctx context.Context, tx pgx.Tx, in queue.Inserter, calls ...*dbsqlc.Call) error {
	var updates []events.Event
	var dispatches []river.InsertManyParams
	for _, call := range calls {
		updates = append(updates, events.StatusUpdate(call))
		dispatch := dispatchJob(call.AccountID, call.ID)
		if call.Explanation != nil { // it will hardly find a place: let the jobs of others pass
			dispatch.InsertOpts = &river.InsertOpts{Priority: queue.LowestPriority}
		}
		dispatches = append(dispatches, dispatch)
	}
	if err := events.Record(ctx, tx, updates...); err != nil {
		return err
	}
	return queue.Insert(ctx, tx, in, dispatches)
}

// SetLimits changes the limits of an account. Calls that now find a place start; live calls above a lower limit go on.
func SetLimits(ctx context.Context, tx pgx.Tx, in queue.Inserter,
	params *dbsqlc.AccountSetLimitsParams) (*dbsqlc.Account, error) {
	account, err := dbsqlc.New().AccountSetLimits(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("set limits: %w", err)
	}
	held, err := listLoads(ctx, tx, []uuid.UUID{account.ID})
	if err != nil {
		return nil, err
	}
	dispatches, err := nextDispatchJobs(ctx, tx, map[uuid.UUID]int{account.ID: held.places(account.ID)})
	if err != nil {
		return nil, err
	}
	return account, queue.Insert(ctx, tx, in, dispatches)
}

// dispatchJobsForFreed returns the dispatch jobs for places that ended calls gave back.
func dispatchJobsForFreed(ctx context.Context, tx pgx.Tx, calls []*dbsqlc.Call) ([]river.InsertManyParams, error) {
	freed := map[uuid.UUID]int{}
	for _, call := range calls {
		freed[call.AccountID]++
	}
	held, err := listLoads(ctx, tx, slices.Collect(maps.Keys(freed)))
	if err != nil {
		return nil, err
	}
	for id := range freed {
		freed[id] = min(freed[id], held.places(id))
		if !held[id].Waiting || freed[id] == 0 {
			delete(freed, id)
		}
	}
	return nextDispatchJobs(ctx, tx, freed)
}

// nextDispatchJobs returns dispatch jobs for as many of each account's oldest queued calls.
func nextDispatchJobs(ctx context.Context, tx pgx.Tx, places map[uuid.UUID]int) ([]river.InsertManyParams, error) {
	if len(places) == 0 {
		return nil, nil
	}
	params := &dbsqlc.CallListNextQueuedParams{}
	for id, count := range places {
		params.AccountIds, params.Places = append(params.AccountIds, id), append(params.Places, int32(count))
		params.QueuedFrom = append(params.QueuedFrom, heads.ofAccount(id).queued)
	}
	next, err := dbsqlc.New().CallListNextQueued(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("list queued calls: %w", err)
	}
	var dispatches []river.InsertManyParams
	for _, call := range next {
		dispatches = append(dispatches, dispatchJob(call.AccountID, call.ID))
	}
	return dispatches, nil
}

func dispatchJob(accountID, callID uuid.UUID) river.InsertManyParams {
	return river.InsertManyParams{Args: PlaceCallArgs{AccountID: accountID, CallID: callID}}
}
