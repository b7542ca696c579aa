// Package calls moves calls from state to state and does what follows: admission, dialing now or at a scheduled time, commands
// to live calls, the functions of assistants, the end-of-call report and retries. It knows rows and events. It knows
// no HTTP request and no telephone: it says what it needs of one (Dialer) and is given it.
//
// Whoever moves a call holds its compare-and-set: the transitions run in the caller's transaction and write the row, its event
// and the jobs that follow.
package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/events"
)

// ErrConflict means that somebody else moved the call first: the compare-and-set, which is in the query, found no row.
var ErrConflict = errors.New("the call is not in the expected state")

// Kinds returns the kinds of the jobs that dial calls and follow their ends.
func Kinds() []string {
	return []string{PlaceCallArgs{}.Kind(), StartScheduledCallArgs{}.Kind(), FinishCallArgs{}.Kind()}
}

// recordStatus records the events that calls were moved. To customers a call that is dialed is queued still: it stands in the
// call's timeline and makes no event.
func recordStatus(ctx context.Context, tx pgx.Tx, calls ...*dbsqlc.Call) error {
	var updates []events.Event
	for _, call := range calls {
		if call.Status != callstate.StatusDialing {
			updates = append(updates, events.StatusUpdate(call))
		}
	}
	return events.Record(ctx, tx, updates...)
}

// Progress is how far a call has come that is being placed.
type Progress struct {
	CallID uuid.UUID
	Status string // ringing or in-progress
	Dialog any    // of an answered call: what another process needs to hang up should this one die
	At     time.Time
}

// age returns for how many seconds something has been true that is written only now: Postgres may have been away. The rows
// have Postgres's clock, which is not this machine's. The zero time is now.
func age(at time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return max(0, time.Since(at).Seconds())
}

// Advance records that far ends ring or answered. It returns the calls that it moved: the others are somebody
// else's, or have come further.
func Advance(ctx context.Context, tx pgx.Tx, processID string, steps ...*Progress) ([]*dbsqlc.Call, error) {
	params := &dbsqlc.CallProgressManyParams{WorkerID: &processID}
	for _, step := range steps {
		dialog, err := json.Marshal(step.Dialog)
		if err != nil {
			return nil, fmt.Errorf("encode dialog: %w", err)
		}
		params.Ids, params.Statuses = append(params.Ids, step.CallID), append(params.Statuses, step.Status)
		params.SIPDialogs, params.Ages = append(params.SIPDialogs, dialog), append(params.Ages, age(step.At))
	}
	calls, err := dbsqlc.New().CallProgressMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("move calls: %w", err)
	}
	if err := LoadConfigurations(ctx, tx, calls...); err != nil {
		return nil, err
	}
	return calls, recordStatus(ctx, tx, calls...)
}

// Forward records that a call is being transferred to target since at, or, where that is empty, is not any more.
func Forward(ctx context.Context, tx pgx.Tx, callID uuid.UUID, processID, target string, at time.Time) (*dbsqlc.Call, error) {
	call, err := dbsqlc.New().CallSetForwarding(ctx, tx, &dbsqlc.CallSetForwardingParams{
		ID: callID, WorkerID: &processID, Destination: target, Age: age(at),
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrConflict
	}
	if err != nil {
		return nil, fmt.Errorf("move call: %w", err)
	}
	if err := LoadConfigurations(ctx, tx, call); err != nil {
		return nil, err
	}
	return call, recordStatus(ctx, tx, call)
}

// HoldMany keeps those of the calls that are processID's and live from being ended by others before the transaction ends.
// It returns them.
func HoldMany(ctx context.Context, tx pgx.Tx, processID string, callIDs ...uuid.UUID) ([]uuid.UUID, error) {
	held, err := dbsqlc.New().CallHoldMany(ctx, tx, &dbsqlc.CallHoldManyParams{Ids: callIDs, WorkerID: &processID})
	if err != nil {
		return nil, fmt.Errorf("hold calls: %w", err)
	}
	return held, nil
}

// Hold is HoldMany of one call. ErrConflict: it is over, or somebody else's.
func Hold(ctx context.Context, tx pgx.Tx, callID uuid.UUID, processID string) error {
	held, err := HoldMany(ctx, tx, processID, callID)
	if err == nil && len(held) == 0 {
		err = ErrConflict
	}
	return err
}

// SpeakerOperator is the speaker of what a colleague says who has barged in on a call.
const SpeakerOperator = "operator"

// Turn is one utterance of a call.
type Turn struct {
	Call             *dbsqlc.Call
	Position         int32  // among the call's turns, from 0
	Role             string // assistant or user
	Speaker          string // operator, in the role of the assistant; empty: who the role says
	Text             string
	SecondsFromStart float64 // from the answer
	Interrupted      bool
	Timing           *jsonb.TurnTiming // of the assistant's answers
	Usage            jsonb.Usage       // of the call so far; nil: no more than at the turn before
	Unasked          bool              // nobody wants to hear of it
}

// AddTurns records utterances, each once.
func AddTurns(ctx context.Context, tx pgx.Tx, turns ...*Turn) error {
	params, err := turnParams(turns)
	if err != nil {
		return err
	}
	rows, err := dbsqlc.New().CallTurnInsertMany(ctx, tx, params)
	if err != nil {
		return fmt.Errorf("insert turns: %w", err)
	}
	type place struct {
		call     uuid.UUID
		position int32
	}
	written := make(map[place]bool, len(rows))
	var watched []uuid.UUID
	for _, row := range rows {
		written[place{row.CallID, row.Position}] = true
		if row.Watched {
			watched = append(watched, row.CallID)
		}
	}
	if err := tellOfTurns(ctx, tx, watched); err != nil {
		return err
	}
	var updates []events.Event
	for _, turn := range turns {
		if written[place{turn.Call.ID, turn.Position}] { // else it was before, its event with it
			updates = append(updates, events.Transcript(turn.Call, turn.Role, turn.Text, turn.SecondsFromStart))
		}
	}
	return events.Record(ctx, tx, updates...)
}

// AddUnaskedTurns records utterances of which nobody wants to hear, each once, where their calls are processID's and live. It
// returns these calls.
func AddUnaskedTurns(ctx context.Context, conn dbsqlc.DBTX, processID string, turns ...*Turn) ([]uuid.UUID, error) {
	params, err := turnParams(turns)
	if err != nil {
		return nil, err
	}
	rows, err := dbsqlc.New().CallTurnInsertHeld(ctx, conn, &dbsqlc.CallTurnInsertHeldParams{
		CallIds: params.CallIds, Positions: params.Positions, AccountIds: params.AccountIds, Roles: params.Roles, Texts: params.Texts,
		SecondsFromStart: params.SecondsFromStart, Interrupted: params.Interrupted, Timings: params.Timings, Usages: params.Usages,
		Speakers: params.Speakers,
		WorkerID: &processID,
	})
	if err != nil {
		return nil, fmt.Errorf("insert turns: %w", db.Uncertain(err))
	}
	var held, watched []uuid.UUID
	for _, row := range rows {
		held = append(held, row.ID)
		if row.Watched {
			watched = append(watched, row.ID)
		}
	}
	_ = tellOfTurns(ctx, conn, watched) // the turns are written, and who watches looks now and then
	return held, nil
}

func turnParams(turns []*Turn) (*dbsqlc.CallTurnInsertManyParams, error) {
	params := &dbsqlc.CallTurnInsertManyParams{}
	for _, turn := range turns {
		timing, err := json.Marshal(turn.Timing)
		if err != nil {
			return nil, fmt.Errorf("encode timing: %w", err)
		}
		used, err := json.Marshal(turn.Usage)
		if err != nil {
			return nil, fmt.Errorf("encode usage: %w", err)
		}
		params.Timings, params.Usages = append(params.Timings, timing), append(params.Usages, used)
		params.CallIds, params.Positions = append(params.CallIds, turn.Call.ID), append(params.Positions, turn.Position)
		params.AccountIds = append(params.AccountIds, turn.Call.AccountID)
		params.Roles, params.Texts = append(params.Roles, turn.Role), append(params.Texts, turn.Text)
		params.SecondsFromStart = append(params.SecondsFromStart, turn.SecondsFromStart)
		params.Interrupted, params.Speakers = append(params.Interrupted, turn.Interrupted), append(params.Speakers, turn.Speaker)
	}
	return params, nil
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

// AddToolCall records a tool that was used in a call, once. It writes no event: servers are asked while the call runs.
func AddToolCall(ctx context.Context, tx pgx.Tx, call *dbsqlc.Call, used ToolCall) error {
	read, err := jsonb.ReadJSON(used.Arguments)
	if err != nil {
		read = db.Storable(used.Arguments)
	}
	arguments, err := json.Marshal(read)
	if err != nil {
		return fmt.Errorf("encode arguments: %w", err)
	}
	_, err = dbsqlc.New().CallToolCallInsert(ctx, tx, &dbsqlc.CallToolCallInsertParams{
		CallID: call.ID, Position: used.Position, AccountID: call.AccountID, ToolCallID: db.Storable(used.ID),
		Name:      db.Storable(used.Name),
		Arguments: arguments, Result: db.NonEmpty(db.Storable(used.Result)), Error: db.NonEmpty(db.Storable(used.Error)),
		SecondsFromStart: used.SecondsFromStart, DurationMS: int32(min(used.Duration.Milliseconds(), math.MaxInt32)),
	})
	if err != nil {
		return fmt.Errorf("insert tool call: %w", err)
	}
	return nil
}
