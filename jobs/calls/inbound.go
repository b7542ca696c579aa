package calls

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/events"
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
	RecordingSecret string     // sealed; see recordings.NewSecret
}

// Arrival is a call that rings, of which is known who answers, or whose server is to be asked who does.
type Arrival struct {
	*Ring
	route *dbsqlc.InboundRouteRow
}

// AccountID is whose call it will be.
func (a *Arrival) AccountID() uuid.UUID { return a.route.AccountID }

// Received is a call that rings, and the question which assistant takes it.
type Received struct {
	Call    *dbsqlc.Call
	Request uuid.UUID // the event of the question; zero: nobody is to be asked
	Refused error     // in place of all others: ErrNoPlace or ErrDuplicate
}

// Route finds out who answers a call that rings; ErrNoAssistant: nobody.
func Route(ctx context.Context, conn dbsqlc.DBTX, ring *Ring) (*Arrival, error) {
	route, err := dbsqlc.New().InboundRoute(ctx, conn, &dbsqlc.InboundRouteParams{
		Number: ring.Number, Caller: ring.Caller, SIPConnectionID: ring.SIPConnectionID, Simulated: ring.Simulated,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNoAssistant
	}
	if err != nil {
		return nil, fmt.Errorf("find who answers: %w", err)
	}
	return &Arrival{ring, route}, nil
}

// Receive makes the rows of calls that ring at telephones of one process at the same time, pins the configurations of the
// assistants that will answer, and records the events. A burst of calls to one account thus takes the account's lock once.
func Receive(ctx context.Context, tx pgx.Tx, arrivals ...*Arrival) (map[*Arrival]*Received, error) {
	received := make(map[*Arrival]*Received, len(arrivals))
	for _, arrival := range arrivals {
		received[arrival] = &Received{Refused: ErrNoPlace}
	}
	admitted, err := admitInbound(ctx, tx, arrivals)
	if err != nil || len(admitted) == 0 {
		return received, err
	}
	calls, err := insertInbound(ctx, tx, admitted)
	if err != nil {
		return nil, err
	}
	if err := recordStatus(ctx, tx, calls...); err != nil {
		return nil, err
	}
	requests, err := recordAssistantRequests(ctx, tx, calls)
	if err != nil {
		return nil, err
	}
	byID := make(map[uuid.UUID]*Received, len(calls))
	for i, call := range calls {
		byID[call.ID] = &Received{Call: call, Request: requests[i]}
	}
	for _, arrival := range admitted {
		if received[arrival] = byID[arrival.CallID]; received[arrival] == nil {
			received[arrival] = &Received{Refused: ErrDuplicate}
		}
	}
	return received, nil
}

// insertInbound returns the calls that were inserted.
func insertInbound(ctx context.Context, tx pgx.Tx, arrivals []*Arrival) ([]*dbsqlc.Call, error) {
	params := &dbsqlc.InboundCallInsertManyParams{WorkerID: arrivals[0].ProcessID, ByVersion: db.Writes(tx, db.ShortCalls)}
	for _, arrival := range arrivals {
		params.Ids = append(params.Ids, arrival.CallID)
		params.AccountIds = append(params.AccountIds, arrival.route.AccountID)
		params.AssistantIds = append(params.AssistantIds, db.UUIDOf(arrival.route.AssistantID))
		params.PhoneNumberIds = append(params.PhoneNumberIds, arrival.route.PhoneNumberID)
		params.Numbers = append(params.Numbers, arrival.route.Number)
		params.Callers = append(params.Callers, arrival.Caller)
		params.SIPCallIds = append(params.SIPCallIds, arrival.SIPCallID)
		params.Simulated = append(params.Simulated, arrival.Simulated)
		params.RecordingSecrets = append(params.RecordingSecrets, arrival.RecordingSecret)
	}
	calls, err := dbsqlc.New().InboundCallInsertMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("insert calls: %w", err)
	}
	return calls, LoadConfigurations(ctx, tx, calls...)
}

// recordAssistantRequests writes the questions of the calls whose servers want to be asked.
func recordAssistantRequests(ctx context.Context, tx pgx.Tx, calls []*dbsqlc.Call) ([]uuid.UUID, error) {
	asked := make([]events.Event, len(calls))
	for i, call := range calls {
		asked[i] = events.AssistantRequest(call)
	}
	return events.RecordQuestions(ctx, tx, asked...)
}
