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
	"github.com/callwright/callwright/jobs/queue"
)

// An account runs so many calls at once. A place is the row of a live call itself, owned by a worker whose death is
// noticed, so no place can leak. Places are counted, given and given back under the lock of the account's row.
//
// A place_call job dispatches the account's oldest queued call, whichever that is when a place is found. Whoever queues a call
// writes such a dispatch job with it, and whoever frees places writes them for as many waiting calls. A job that finds no place
// is spent: the end of any call that holds one writes the next. So an account has at least as many dispatch jobs as it has both places and queued calls, and no call waits beside a free place.

// loads are the places of accounts, by account. The caller holds the accounts' locks.
type loads map[uuid.UUID]*dbsqlc.AccountListLoadsRow

func listLoads(ctx context.Context, tx pgx.Tx, accountIDs []uuid.UUID) (loads, error) {
	rows, err := dbsqlc.New().AccountListLoads(ctx, tx, &dbsqlc.AccountListLoadsParams{Ids: accountIDs})
	if err != nil {
		return nil, fmt.Errorf("list loads of accounts: %w", err)
	}
	found := make(loads, len(rows))
	for _, row := range rows {
		found[row.ID] = row
	}
	return found, nil
}

func lockLoads(ctx context.Context, tx pgx.Tx, accountIDs []uuid.UUID) (loads, error) {
	if err := dbsqlc.New().AccountLockMany(ctx, tx, &dbsqlc.AccountLockManyParams{Ids: accountIDs}); err != nil {
		return nil, fmt.Errorf("lock accounts: %w", err)
	}
	return listLoads(ctx, tx, accountIDs)
}

// places returns how many more outbound calls the account may start: some of its places may be kept for calls that come in.
func (l loads) places(accountID uuid.UUID) int {
	load := l[accountID]
	if load == nil {
		return 0
	}
	free := load.MaxConcurrentCalls - load.Inbound - load.Outbound
	unreserved := load.MaxConcurrentCalls - load.ReservedInboundCalls - load.Outbound
	return int(max(0, min(free, unreserved)))
}

// explain returns why a call of the account waits when it has no place.
func (l loads) explain(accountID uuid.UUID) string {
	load := l[accountID]
	if load == nil || l.places(accountID) > 0 {
		return ""
	}
	text := fmt.Sprintf("Waits for another call to end: the account runs at most %d at once", load.MaxConcurrentCalls)
	if load.ReservedInboundCalls > 0 {
		text += fmt.Sprintf(", and keeps %d of these places for inbound calls", load.ReservedInboundCalls)
	}
	return text + "."
}

// admitInbound reports whether the account has a place for a call that comes in. The caller inserts the call's row, live,
// in the same transaction, or leaves it.
func admitInbound(ctx context.Context, tx pgx.Tx, accountID uuid.UUID) (bool, error) {
	held, err := lockLoads(ctx, tx, []uuid.UUID{accountID})
	if err != nil {
		return false, err
	}
	load := held[accountID]
	return load != nil && load.Inbound+load.Outbound < load.MaxConcurrentCalls, nil
}

// SetLimits changes how many calls an account runs at once, and how many of these places are kept for inbound calls.
// Calls that now find a place start; live calls above a lower limit go on.
func SetLimits(ctx context.Context, tx pgx.Tx, in queue.Inserter, params *dbsqlc.AccountSetLimitsParams) (*dbsqlc.Account, error) {
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

// explainWaiting writes into the calls of dispatch jobs that found no place why they wait.
func explainWaiting(ctx context.Context, tx pgx.Tx, held loads, claimed []*dbsqlc.Call, spent map[uuid.UUID][]*PlaceCallArgs) error {
	for _, call := range claimed {
		held[call.AccountID].Outbound++
	}
	params := &dbsqlc.CallExplainManyParams{}
	for id, jobs := range spent {
		text := held.explain(id)
		for _, job := range jobs {
			if text != "" {
				params.Ids, params.Explanations = append(params.Ids, job.CallID), append(params.Explanations, text)
			}
		}
	}
	if len(params.Ids) == 0 {
		return nil
	}
	if err := dbsqlc.New().CallExplainMany(ctx, tx, params); err != nil {
		return fmt.Errorf("explain waiting calls: %w", err)
	}
	return nil
}
