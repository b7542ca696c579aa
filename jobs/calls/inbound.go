package calls

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/queue"
)

// Why a call that comes in is not taken.
var (
	ErrNoAssistant = errors.New("no assistant answers that number")
	ErrNoPlace     = errors.New("the account has no place for another call")
	ErrDuplicate   = errors.New("this call was received before")
)

// Ring is a call that rings at a telephone of ours.
type Ring struct {
	CallID          uuid.UUID
	ProcessID       string // whose telephone it is
	SIPCallID       string
	Number          string     // that was called
	Caller          string     // who calls: a number in E.164, or what the caller is named
	SIPConnectionID *uuid.UUID // over which it comes; nil: the deployment's trunk
	Simulated       bool       // it comes from the simulated network
}

// Received is a call that rings, and the question which assistant takes it.
type Received struct {
	Call    *dbsqlc.Call
	Request uuid.UUID // the event of the question; zero: nobody is to be asked
}

// Receive makes the row of a call that rings, pins the configuration of the assistant that will answer, and records
// the event. It fails with ErrNoAssistant, ErrNoPlace or ErrDuplicate when the call is not to be taken.
func Receive(ctx context.Context, tx pgx.Tx, in queue.Inserter, ring *Ring) (*Received, error) {
	queries := dbsqlc.New()
	route, err := queries.InboundRoute(ctx, tx, &dbsqlc.InboundRouteParams{
		Number: ring.Number, Caller: ring.Caller, SIPConnectionID: ring.SIPConnectionID, Simulated: ring.Simulated,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNoAssistant
	}
	if err != nil {
		return nil, fmt.Errorf("find who answers: %w", err)
	}
	admitted, err := admitInbound(ctx, tx, route.AccountID)
	if err != nil {
		return nil, fmt.Errorf("admit call: %w", err)
	}
	if !admitted {
		return nil, ErrNoPlace
	}
	call, err := queries.InboundCallInsert(ctx, tx, &dbsqlc.InboundCallInsertParams{
		ID: ring.CallID, AccountID: route.AccountID, AssistantID: route.AssistantID, PhoneNumberID: route.PhoneNumberID, Number: route.Number,
		Caller: ring.Caller, WorkerID: &ring.ProcessID, SIPCallID: &ring.SIPCallID, Simulated: ring.Simulated,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrDuplicate
	}
	if err != nil {
		return nil, fmt.Errorf("insert call: %w", err)
	}
	if err := events.Record(ctx, tx, in, events.StatusUpdate(call)); err != nil {
		return nil, err
	}
	request, err := recordAssistantRequest(ctx, tx, call)
	if err != nil {
		return nil, err
	}
	return &Received{Call: call, Request: request}, nil
}

// recordAssistantRequest writes the question, if the call's server wants to be asked.
func recordAssistantRequest(ctx context.Context, tx pgx.Tx, call *dbsqlc.Call) (uuid.UUID, error) {
	return events.RecordQuestion(ctx, tx, events.AssistantRequest(call))
}
