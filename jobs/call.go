package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

// The moves of a call. Each runs in the caller's transaction and writes the row, the event that tells of it and the jobs
// that follow; the compare-and-set is in the query. ErrMoved means that somebody else moved the call first.
var ErrMoved = errors.New("the call is not in the expected state")

// CallQueued tells of call rows just inserted as queued and asks for the calls to be placed.
func CallQueued(ctx context.Context, tx pgx.Tx, in Inserter, calls ...*dbsqlc.Call) error {
	var facts []fact
	var tickets []river.InsertManyParams
	for _, call := range calls {
		facts = append(facts, statusOf(call))
		ticket := ticketFor(call.AccountID, call.ID)
		if call.Explanation != nil { // it will hardly find a place: let the tickets of others pass
			ticket.InsertOpts = &river.InsertOpts{Priority: lowestPriority}
		}
		tickets = append(tickets, ticket)
	}
	deliveries, err := recordEvents(ctx, tx, facts...)
	if err != nil {
		return err
	}
	return enqueue(ctx, tx, in, append(tickets, deliveries...))
}

// CancelCall ends a queued call that nobody has claimed: it will not be placed. ErrMoved: it is not queued any more.
func CancelCall(ctx context.Context, tx pgx.Tx, in Inserter, params *dbsqlc.CallCancelParams) (*dbsqlc.Call, error) {
	// Under the lock no ticket is spent on the call that is being canceled.
	if err := dbsqlc.New().AccountLock(ctx, tx, &dbsqlc.AccountLockParams{ID: params.AccountID}); err != nil {
		return nil, fmt.Errorf("lock account: %w", err)
	}
	call, err := dbsqlc.New().CallCancel(ctx, tx, params)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrMoved
	}
	if err != nil {
		return nil, fmt.Errorf("cancel call: %w", err)
	}
	return call, ended(ctx, tx, in, nil, call)
}

// tellStatus tells of calls that were moved.
func tellStatus(ctx context.Context, tx pgx.Tx, in Inserter, calls ...*dbsqlc.Call) error {
	var facts []fact
	for _, call := range calls {
		facts = append(facts, statusOf(call))
	}
	return record(ctx, tx, in, facts...)
}

// Progress is how far a call has come that is being placed.
type Progress struct {
	CallID uuid.UUID
	Status string // ringing or in-progress
	Dialog any    // of an answered call: what another process needs to hang up should this one die
}

// CallsProgressed records that far ends ring or answered. It answers the calls that it moved: the others are somebody
// else's, or have come further.
func CallsProgressed(ctx context.Context, tx pgx.Tx, in Inserter, processID string, steps ...*Progress) ([]*dbsqlc.Call, error) {
	params := &dbsqlc.CallProgressManyParams{WorkerID: &processID}
	for _, step := range steps {
		dialog, err := json.Marshal(step.Dialog)
		if err != nil {
			return nil, fmt.Errorf("encode dialog: %w", err)
		}
		params.Ids, params.Statuses = append(params.Ids, step.CallID), append(params.Statuses, step.Status)
		params.SIPDialogs = append(params.SIPDialogs, dialog)
	}
	calls, err := dbsqlc.New().CallProgressMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("move calls: %w", err)
	}
	return calls, tellStatus(ctx, tx, in, calls...)
}

// CallForwarding records that a call is being transferred to target, or, where that is empty, is not any more.
func CallForwarding(ctx context.Context, tx pgx.Tx, in Inserter, callID uuid.UUID, processID, target string) (*dbsqlc.Call, error) {
	call, err := dbsqlc.New().CallSetForwarding(ctx, tx, &dbsqlc.CallSetForwardingParams{ID: callID, WorkerID: &processID, Destination: target})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrMoved
	}
	if err != nil {
		return nil, fmt.Errorf("move call: %w", err)
	}
	return call, tellStatus(ctx, tx, in, call)
}

// HoldCalls keeps those of the calls that are processID's and live from being ended by others before the transaction ends.
// It answers them.
func HoldCalls(ctx context.Context, tx pgx.Tx, processID string, callIDs ...uuid.UUID) ([]uuid.UUID, error) {
	held, err := dbsqlc.New().CallHoldMany(ctx, tx, &dbsqlc.CallHoldManyParams{Ids: callIDs, WorkerID: &processID})
	if err != nil {
		return nil, fmt.Errorf("hold calls: %w", err)
	}
	return held, nil
}

// HoldCall is HoldCalls of one call. ErrMoved: it is over, or somebody else's.
func HoldCall(ctx context.Context, tx pgx.Tx, callID uuid.UUID, processID string) error {
	held, err := HoldCalls(ctx, tx, processID, callID)
	if err == nil && len(held) == 0 {
		err = ErrMoved
	}
	return err
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
	RecordingKey string
}

// CallsEnded ends live calls of processID and starts what follows their ends. It answers those that it ended: the others
// are somebody else's, or were ended before.
func CallsEnded(ctx context.Context, tx pgx.Tx, in Inserter, processID string, endings map[uuid.UUID]Ending) ([]*dbsqlc.Call, error) {
	params := &dbsqlc.CallEndManyParams{WorkerID: &processID}
	for id, ending := range endings {
		latency, err := json.Marshal(ending.Latency)
		if err != nil {
			return nil, fmt.Errorf("encode latency: %w", err)
		}
		media, err := json.Marshal(ending.Media)
		if err != nil {
			return nil, fmt.Errorf("encode media: %w", err)
		}
		params.Ids = append(params.Ids, id)
		params.Statuses = append(params.Statuses, ending.Status)
		params.EndedReasons = append(params.EndedReasons, ending.Reason)
		params.EndedFaults = append(params.EndedFaults, ending.Fault)
		params.SIPCodes = append(params.SIPCodes, int32(ending.SIPCode))
		params.Errors = append(params.Errors, ending.Error)
		params.Latencies = append(params.Latencies, latency)
		params.RecordingKeys = append(params.RecordingKeys, ending.RecordingKey)
		params.Medias = append(params.Medias, media)
	}
	if err := dbsqlc.New().AccountLockOfCalls(ctx, tx, &dbsqlc.AccountLockOfCallsParams{CallIds: params.Ids}); err != nil {
		return nil, fmt.Errorf("lock accounts: %w", err)
	}
	calls, err := dbsqlc.New().CallEndMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("end calls: %w", err)
	}
	if len(calls) == 0 {
		return nil, nil
	}
	tickets, err := ticketsForFreed(ctx, tx, calls)
	if err != nil {
		return nil, err
	}
	return calls, ended(ctx, tx, in, tickets, calls...)
}

// Turn is one utterance of a call.
type Turn struct {
	Call             *dbsqlc.Call
	Position         int32  // among the call's turns, from 0
	Role             string // assistant or user
	Text             string
	SecondsFromStart float64 // from the answer
	Interrupted      bool
}

// TurnsHeard records utterances, each once.
func TurnsHeard(ctx context.Context, tx pgx.Tx, in Inserter, turns ...*Turn) error {
	params := &dbsqlc.CallTurnInsertManyParams{}
	for _, turn := range turns {
		params.CallIds, params.Positions = append(params.CallIds, turn.Call.ID), append(params.Positions, turn.Position)
		params.AccountIds = append(params.AccountIds, turn.Call.AccountID)
		params.Roles, params.Texts = append(params.Roles, turn.Role), append(params.Texts, turn.Text)
		params.SecondsFromStart = append(params.SecondsFromStart, turn.SecondsFromStart)
		params.Interrupted = append(params.Interrupted, turn.Interrupted)
	}
	rows, err := dbsqlc.New().CallTurnInsertMany(ctx, tx, params)
	if err != nil {
		return fmt.Errorf("insert turns: %w", err)
	}
	written := make(map[dbsqlc.CallTurnInsertManyRow]bool, len(rows))
	for _, row := range rows {
		written[*row] = true
	}
	var facts []fact
	for _, turn := range turns {
		if written[dbsqlc.CallTurnInsertManyRow{CallID: turn.Call.ID, Position: turn.Position}] { // else it was before, its event with it
			facts = append(facts, transcriptOf(turn.Call, turn.Role, turn.Text, turn.SecondsFromStart))
		}
	}
	return record(ctx, tx, in, facts...)
}

// ToolCall is a tool that the assistant used in a call.
type ToolCall struct {
	Position         int32 // among the call's tool calls, from 0
	ID, Name         string
	Arguments        string // a JSON object as the model wrote it; what is no JSON is kept as a text
	Result, Error    string // one of them
	SecondsFromStart float64
	Duration         time.Duration
}

// ToolCalled records a tool that was used in a call, once. It writes no event: servers are asked while the call runs.
func ToolCalled(ctx context.Context, tx pgx.Tx, call *dbsqlc.Call, used ToolCall) error {
	read, err := jsonb.ReadJSON(used.Arguments)
	if err != nil {
		read = storable(used.Arguments)
	}
	arguments, err := json.Marshal(read)
	if err != nil {
		return fmt.Errorf("encode arguments: %w", err)
	}
	_, err = dbsqlc.New().CallToolCallInsert(ctx, tx, &dbsqlc.CallToolCallInsertParams{
		CallID: call.ID, Position: used.Position, AccountID: call.AccountID, ToolCallID: storable(used.ID), Name: storable(used.Name),
		Arguments: arguments, Result: nonEmpty(storable(used.Result)), Error: nonEmpty(storable(used.Error)),
		SecondsFromStart: used.SecondsFromStart, DurationMS: int32(min(used.Duration.Milliseconds(), math.MaxInt32)),
	})
	if err != nil {
		return fmt.Errorf("insert tool call: %w", err)
	}
	return nil
}

func nonEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// ended tells of calls that are over and enqueues what follows, params among it.
func ended(ctx context.Context, tx pgx.Tx, in Inserter, params []river.InsertManyParams, calls ...*dbsqlc.Call) error {
	facts, err := failCommands(ctx, tx, calls)
	if err != nil {
		return err
	}
	for _, call := range calls {
		facts = append(facts, statusOf(call))
		params = append(params, river.InsertManyParams{Args: FinishCallArgs{CallID: call.ID}})
	}
	deliveries, err := recordEvents(ctx, tx, facts...)
	if err != nil {
		return err
	}
	return enqueue(ctx, tx, in, append(params, deliveries...))
}
