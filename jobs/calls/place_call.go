package calls

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/jobs/spending"
)

// placeWait is how long a job waits for a place in its process before another process may have it.
const placeWait = time.Second

// claimCooldown is how long a call's claim waits for those of others, while calls are claimed.
const claimCooldown = 25 * time.Millisecond

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
// Nobody is rung twice: a call has one owner, who records that its INVITE may leave (Invite) before it does. Whoever finds a
// process dead queues its calls again that were not recorded so, and ends the others: they may have rung.
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
	w.claims = db.NewFairCooldownBatcher(claimCooldown, w.claim,
		func(d *dispatch) uuid.UUID { return d.AccountID }).Named("call_claim")
	return w
}

// Close ends what the worker does for many jobs together. No job runs any more.
func (w *PlaceCallWorker) Close() { w.claims.Close() }

// Timeout lets a call last; the session bounds it by max_duration_seconds.
func (w *PlaceCallWorker) Timeout(*river.Job[PlaceCallArgs]) time.Duration { return -1 }

// Work implements river.Worker.
func (w *PlaceCallWorker) Work(ctx context.Context, job *river.Job[PlaceCallArgs]) error {
	place, ok := w.dialer.Reserve(ctx, placeWait)
	if !ok {
		return river.JobSnooze(0)
	}
	call, err := w.claims.Do(context.WithoutCancel(ctx), &dispatch{&job.Args, place})
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
	if err != nil {
		return nil, err
	}
	return calls, nil
}

// Claim moves queued calls to dialing and makes processID their owner: for each dispatch job the call of its account that
// waits longest, as long as the account has places. It returns the calls by job: two jobs that name the same call are two.
// The calls of jobs that found no place say why they wait.
func Claim(ctx context.Context, tx pgx.Tx, in queue.Inserter, jobs []*PlaceCallArgs,
	processID string) (map[*PlaceCallArgs]*dbsqlc.Call, error) {
	byAccount := map[uuid.UUID][]*PlaceCallArgs{}
	for _, job := range jobs {
		byAccount[job.AccountID] = append(byAccount[job.AccountID], job)
	}
	held, err := lockLoads(ctx, tx, slices.Collect(maps.Keys(byAccount)))
	if err != nil {
		return nil, err
	}
	if err := refuseSpent(ctx, tx, in, held); err != nil {
		return nil, err
	}
	params := &dbsqlc.CallClaimManyParams{WorkerID: &processID, ByVersion: db.Writes(tx, db.ShortCalls)}
	for id, waiting := range byAccount {
		count := min(held.places(id), len(waiting))
		if count == 0 || held[id].BudgetExhausted {
			continue
		}
		costly, longest := held.longest(id, count)
		if costly > 0 {
			count = costly
		}
		params.AccountIds, params.Places = append(params.AccountIds, id), append(params.Places, int32(count))
		params.Longest = append(params.Longest, longest)
		params.QueuedFrom = append(params.QueuedFrom, heads.ofAccount(id).queuedBefore(waiting))
	}
	calls, err := claimOldest(ctx, tx, params)
	if err != nil {
		return nil, err
	}
	claimed := map[*PlaceCallArgs]*dbsqlc.Call{}
	for _, call := range calls {
		left := byAccount[call.AccountID]
		claimed[left[0]], byAccount[call.AccountID] = call, left[1:]
	}
	return claimed, explainWaiting(ctx, tx, held, calls, byAccount)
}

func claimOldest(ctx context.Context, tx pgx.Tx, params *dbsqlc.CallClaimManyParams) ([]*dbsqlc.Call, error) {
	if len(params.AccountIds) == 0 {
		return nil, nil
	}
	calls, err := dbsqlc.New().CallClaimMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("claim calls: %w", err)
	}
	if err := LoadConfigurations(ctx, tx, calls...); err != nil {
		return nil, err
	}
	return calls, recordStatus(ctx, tx, calls...)
}

// refuseSpent ends the queued calls of accounts that have used their minutes of the day, or the month's budget: they were to ring
// now, and not tomorrow.
func refuseSpent(ctx context.Context, tx pgx.Tx, in queue.Inserter, held loads) error {
	params, refusals := &dbsqlc.CallRefuseQueuedManyParams{}, map[uuid.UUID]*spending.Refusal{}
	for id, load := range held {
		refusal, reason := held.refusal(id)
		if !load.Waiting || refusal == nil {
			continue
		}
		refusals[id] = refusal
		params.AccountIds, params.Errors = append(params.AccountIds, id), append(params.Errors, refusal.Sentence())
		params.EndedReasons, params.EndedFaults = append(params.EndedReasons, reason),
			append(params.EndedFaults, callstate.FaultOf(reason))
		params.SimulatedToo = append(params.SimulatedToo, load.BudgetExhausted)
	}
	if len(params.AccountIds) == 0 {
		return nil
	}
	calls, err := dbsqlc.New().CallRefuseQueuedMany(ctx, tx, params)
	if err != nil {
		return fmt.Errorf("refuse queued calls: %w", err)
	}
	if len(calls) == 0 { // those that wait are simulated
		return nil
	}
	var counted []*spending.Refusal
	for _, call := range calls {
		counted = append(counted, refusals[call.AccountID])
	}
	if err := spending.AddRefusals(ctx, tx, counted...); err != nil {
		return err
	}
	return ended(ctx, tx, in, nil, calls...)
}

// explainWaiting writes into the calls of dispatch jobs that found no place why they wait.
func explainWaiting(ctx context.Context, tx pgx.Tx, held loads, claimed []*dbsqlc.Call,
	spent map[uuid.UUID][]*PlaceCallArgs) error {
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
