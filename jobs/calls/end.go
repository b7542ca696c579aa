package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/costs"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/jobs/spending"
)

// Cancel ends a queued call that nobody has claimed: it will not be placed. ErrConflict: it is not queued any more.
func Cancel(ctx context.Context, tx pgx.Tx, in queue.Inserter, params *dbsqlc.CallCancelParams) (*dbsqlc.Call, error) {
	// Under the lock no dispatch job is spent on the call that is being canceled.
	if err := dbsqlc.New().AccountLock(ctx, tx, &dbsqlc.AccountLockParams{ID: params.AccountID}); err != nil {
		return nil, fmt.Errorf("lock account: %w", err)
	}
	call, err := dbsqlc.New().CallCancel(ctx, tx, params)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrConflict
	}
	if err != nil {
		return nil, fmt.Errorf("cancel call: %w", err)
	}
	return call, ended(ctx, tx, in, nil, call)
}

// Ending is how a call ended.
type Ending struct {
	Status       string // one of the final states
	Reason       string
	Fault        string
	SIPCode      int // 0: none
	Error        string
	Latency      *jsonb.Latency
	Media        *jsonb.Media
	Providers    *jsonb.Providers // nil: nobody served it
	Usage        jsonb.Usage      // what it used, its time apart
	RecordingKey string
	At           time.Time // zero: now
}

// End ends live calls of processID and starts what follows their ends. It returns those that it ended: the others
// are somebody else's, or were ended before.
func End(ctx context.Context, tx pgx.Tx, in queue.Inserter, processID string,
	endings map[uuid.UUID]Ending) ([]*dbsqlc.Call, error) {
	params := &dbsqlc.CallEndManyParams{WorkerID: &processID, Short: db.Writes(tx, db.ShortCalls)}
	for id, ending := range endings {
		latency, err := json.Marshal(ending.Latency)
		if err != nil {
			return nil, fmt.Errorf("encode latency: %w", err)
		}
		media, err := json.Marshal(ending.Media)
		if err != nil {
			return nil, fmt.Errorf("encode media: %w", err)
		}
		providers, err := json.Marshal(ending.Providers)
		if err != nil {
			return nil, fmt.Errorf("encode providers: %w", err)
		}
		params.Ids = append(params.Ids, id)
		params.Statuses = append(params.Statuses, ending.Status)
		params.EndedReasons = append(params.EndedReasons, ending.Reason)
		params.EndedFaults = append(params.EndedFaults, ending.Fault)
		params.SIPCodes = append(params.SIPCodes, int32(ending.SIPCode))
		params.Errors = append(params.Errors, db.Storable(ending.Error))
		params.Latencies = append(params.Latencies, latency)
		params.RecordingKeys = append(params.RecordingKeys, ending.RecordingKey)
		params.Medias = append(params.Medias, media)
		params.Providers = append(params.Providers, providers)
		params.Ages = append(params.Ages, age(ending.At))
	}
	if err := dbsqlc.New().AccountLockOfCalls(ctx, tx, &dbsqlc.AccountLockOfCallsParams{CallIds: params.Ids}); err != nil {
		return nil, fmt.Errorf("lock accounts: %w", err)
	}
	calls, err := dbsqlc.New().CallEndMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("end calls: %w", err)
	}
	if err := LoadConfigurations(ctx, tx, calls...); err != nil {
		return nil, err
	}
	if len(calls) == 0 {
		return nil, nil
	}
	joined, err := endLegs(ctx, tx, calls)
	if err != nil {
		return nil, err
	}
	dispatches, err := dispatchJobsForFreed(ctx, tx, slices.Concat(calls, joined)) // a leg has a place of its own
	if err != nil {
		return nil, err
	}
	used := make(map[uuid.UUID]jsonb.Usage, len(calls))
	for _, call := range calls {
		used[call.ID] = endings[call.ID].Usage
	}
	return calls, endedWith(ctx, tx, in, dispatches, used, calls...)
}

// ended is endedWith of calls that used nothing.
func ended(ctx context.Context, tx pgx.Tx, in queue.Inserter, params []river.InsertManyParams, calls ...*dbsqlc.Call) error {
	return endedWith(ctx, tx, in, params, nil, calls...)
}

// endedWith records the events that calls are over and what they used, by call, and enqueues what follows, params among it.
func endedWith(ctx context.Context, tx pgx.Tx, in queue.Inserter, params []river.InsertManyParams, used map[uuid.UUID]jsonb.Usage,
	calls ...*dbsqlc.Call) error {
	var uses []costs.Use
	for _, call := range calls {
		uses = append(uses, costs.Use{CallID: call.ID, Usage: used[call.ID], Ended: true, Legs: mayHaveLegs(call)})
	}
	commanded, err := costs.Add(ctx, tx, uses...)
	if err != nil {
		return err
	}
	updates, err := failCommands(ctx, tx, calls, commanded)
	if err != nil {
		return err
	}
	left, err := endListeners(ctx, tx, calls, commanded)
	if err != nil {
		return err
	}
	updates = append(updates, left...)
	if err := spending.AddCalls(ctx, tx, connected(calls)); err != nil {
		return err
	}
	for _, call := range calls {
		updates = append(updates, events.StatusUpdate(call))
		params = append(params, river.InsertManyParams{Args: FinishCallArgs{CallID: call.ID}})
	}
	if err := events.Record(ctx, tx, updates...); err != nil {
		return err
	}
	return queue.Insert(ctx, tx, in, params)
}

// connected returns for how long calls were connected that cost minutes, by account.
func connected(calls []*dbsqlc.Call) map[uuid.UUID]time.Duration {
	lasted := map[uuid.UUID]time.Duration{}
	for _, call := range calls {
		if call.Direction == "outbound" && !call.Simulated && call.StartedAt != nil {
			lasted[call.AccountID] += call.EndedAt.Sub(*call.StartedAt)
		}
	}
	return lasted
}

// callEndedFirst is why a command fails whose call ends before it is done.
const callEndedFirst = "The call ended first."

// failCommands fails what was asked of calls that are over, those of commanded, and returns the events.
func failCommands(ctx context.Context, tx pgx.Tx, calls []*dbsqlc.Call, commanded []uuid.UUID) ([]events.Event, error) {
	if len(commanded) == 0 {
		return nil, nil
	}
	params, byID := &dbsqlc.CallCommandFailManyParams{Error: callEndedFirst, CallIds: commanded}, map[uuid.UUID]*dbsqlc.Call{}
	for _, call := range calls {
		byID[call.ID] = call
	}
	failed, err := dbsqlc.New().CallCommandFailMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("fail commands: %w", err)
	}
	var updates []events.Event
	for _, command := range failed {
		updates = append(updates, events.CallCommandUpdate(byID[command.CallID], command))
	}
	return updates, nil
}
