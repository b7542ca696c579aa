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

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/jobs/spending"
)

// longestTalk is how long a caller may talk to a colleague on legs of ours.
const longestTalk = 2 * time.Hour

// Leg is somebody who is to be rung for the caller of a live call.
type Leg struct {
	ID          uuid.UUID
	ProcessID   string // that holds the call
	Destination string // E.164 or SIP URI
	Mode        string // of the transfer
	SIPCallID   string
}

// ErrMinutesHeld means that live calls hold what is left of the account's minutes of the day.
var ErrMinutesHeld = errors.New("live calls hold what is left of the account's minutes of today")

// AddLeg records that the INVITE of a second leg may leave from now on, which takes a place of the account, and returns for how
// long the talk may last. ErrNoPlace, ErrMinutesHeld: it may not. ErrConflict: the call is over, or somebody else's, or has a
// second leg.
func AddLeg(ctx context.Context, tx pgx.Tx, call *dbsqlc.Call, leg *Leg) (longest time.Duration, err error) {
	held, err := lockLoads(ctx, tx, []uuid.UUID{call.AccountID})
	if err != nil {
		return 0, err
	}
	if held.places(call.AccountID) == 0 {
		return 0, ErrNoPlace
	}
	params := &dbsqlc.CallLegInsertParams{
		ID: leg.ID, AccountID: call.AccountID, CallID: call.ID, WorkerID: leg.ProcessID, Destination: leg.Destination, Mode: leg.Mode,
		SIPCallID: &leg.SIPCallID,
	}
	longest = longestTalk
	if !call.Simulated {
		calls, seconds := held.longest(call.AccountID, costing(call))
		if calls < costing(call) {
			return 0, ErrMinutesHeld
		}
		longest = min(longest, time.Duration(seconds)*time.Second)
		params.ReservedSeconds = new(int32(longest.Seconds()) * int32(costing(call)))
	}
	if _, err := dbsqlc.New().CallLegInsert(ctx, tx, params); errors.Is(err, pgx.ErrNoRows) {
		return 0, ErrConflict
	} else if err != nil {
		return 0, fmt.Errorf("insert leg: %w", err)
	}
	return longest, nil
}

// costing returns how many legs of a call cost minutes while the caller talks to a colleague.
func costing(call *dbsqlc.Call) int {
	if call.Direction == "outbound" {
		return 2
	}
	return 1
}

// LegStep is what has become of a second leg.
type LegStep struct {
	ID     uuid.UUID
	Status string // a callstate.Leg status
	Dialog any    // of callstate.LegInProgress: for whoever hangs up should this process die; nil: none
	At     time.Time

	// Of a final status.
	SIPCode int // 0: none
	Error   string
}

// MoveLeg records a step of a second leg of processID's call. A leg that is over stays as it is. ErrConflict: the call is over,
// or somebody else's.
func MoveLeg(ctx context.Context, tx pgx.Tx, in queue.Inserter, call *dbsqlc.Call, processID string, step *LegStep) error {
	if callstate.LegOver(step.Status) {
		return endLeg(ctx, tx, in, call, processID, step)
	}
	if err := Hold(ctx, tx, call.ID, processID); err != nil {
		return err
	}
	dialog, err := json.Marshal(step.Dialog)
	if err != nil {
		return fmt.Errorf("encode dialog: %w", err)
	}
	params := &dbsqlc.CallLegProgressParams{ID: step.ID, Status: step.Status, SIPDialog: dialog, Age: age(step.At)}
	if _, err := dbsqlc.New().CallLegProgress(ctx, tx, params); err != nil {
		return fmt.Errorf("move leg: %w", err)
	}
	return nil
}

// endLeg gives the leg's place back. Like all that changes places it locks the account before anything else.
func endLeg(ctx context.Context, tx pgx.Tx, in queue.Inserter, call *dbsqlc.Call, processID string, step *LegStep) error {
	queries := dbsqlc.New()
	if err := queries.AccountLock(ctx, tx, &dbsqlc.AccountLockParams{ID: call.AccountID}); err != nil {
		return fmt.Errorf("lock account: %w", err)
	}
	if err := Hold(ctx, tx, call.ID, processID); err != nil {
		return err
	}
	leg, err := queries.CallLegEnd(ctx, tx, &dbsqlc.CallLegEndParams{
		ID: step.ID, Status: step.Status, SIPCode: int32(step.SIPCode), Error: db.Storable(step.Error), Age: age(step.At),
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("end leg: %w", err)
	}
	if err := spending.AddCalls(ctx, tx, talked([]*dbsqlc.CallLeg{leg})); err != nil {
		return err
	}
	dispatches, err := dispatchJobsForFreed(ctx, tx, []*dbsqlc.Call{call})
	if err != nil {
		return err
	}
	return queue.Insert(ctx, tx, in, dispatches)
}

// endLegs ends the second legs of calls that are over, and returns the calls that had one.
func endLegs(ctx context.Context, tx pgx.Tx, ended []*dbsqlc.Call) (with []*dbsqlc.Call, err error) {
	params, byID := &dbsqlc.CallLegEndOfCallsParams{}, map[uuid.UUID]*dbsqlc.Call{}
	for _, call := range ended {
		if mayHaveLegs(call) {
			params.CallIds, byID[call.ID] = append(params.CallIds, call.ID), call
		}
	}
	if len(params.CallIds) == 0 {
		return nil, nil
	}
	legs, err := dbsqlc.New().CallLegEndOfCalls(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("end legs: %w", err)
	}
	for _, leg := range legs {
		with = append(with, byID[leg.CallID])
	}
	return with, spending.AddCalls(ctx, tx, talked(legs))
}

// mayHaveLegs reports whether a call was ever transferred, or was to be. That of a process that died may not say so: its leg's
// row comes before the entry in the timeline.
func mayHaveLegs(call *dbsqlc.Call) bool {
	return slices.ContainsFunc(call.Timeline,
		func(entry jsonb.TimelineEntry) bool { return entry.Status == callstate.StatusForwarding }) ||
		call.EndedReason != nil && *call.EndedReason == callstate.ReasonWorkerLost
}

// talked returns for how long legs were connected that cost minutes, by account.
func talked(legs []*dbsqlc.CallLeg) map[uuid.UUID]time.Duration {
	lasted := map[uuid.UUID]time.Duration{}
	for _, leg := range legs {
		if !leg.Simulated && leg.StartedAt != nil && leg.EndedAt != nil {
			lasted[leg.AccountID] += leg.EndedAt.Sub(*leg.StartedAt)
		}
	}
	return lasted
}

// ListLegs returns the second legs of calls, the oldest first.
func ListLegs(ctx context.Context, conn dbsqlc.DBTX, of ...*dbsqlc.Call) (map[uuid.UUID][]*dbsqlc.CallLeg, error) {
	params := &dbsqlc.CallLegListManyParams{}
	for _, call := range of {
		if mayHaveLegs(call) {
			params.CallIds = append(params.CallIds, call.ID)
			if !slices.Contains(params.AccountIds, call.AccountID) {
				params.AccountIds = append(params.AccountIds, call.AccountID)
			}
		}
	}
	found := map[uuid.UUID][]*dbsqlc.CallLeg{}
	if len(params.CallIds) == 0 {
		return found, nil
	}
	rows, err := dbsqlc.New().CallLegListMany(ctx, conn, params)
	if err != nil {
		return nil, fmt.Errorf("list legs: %w", err)
	}
	for _, row := range rows {
		found[row.CallID] = append(found[row.CallID], row)
	}
	return found, nil
}
