package events

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
)

// Live is a live event: something in a conversation that is written only for those who ask for it. The fields that its type
// has are set.
type Live struct {
	Call *dbsqlc.Call
	ID   uuid.UUID // of the event: one that is written again counts once
	// callstate.EventSpeechUpdate, callstate.EventUserInterrupted, callstate.EventHang or callstate.EventTransferUpdate
	Type   string
	At     time.Duration
	Status string // speech-update: started or stopped; transfer-update: started, completed or failed
	Role   string // speech-update
	Turn   int    // speech-update: turns before this one
	Target string // transfer-update: E.164 or SIP URI
	Error  string // transfer-update: why it failed
}

// RecordLive records live events.
func RecordLive(ctx context.Context, tx pgx.Tx, live ...*Live) error {
	events := make([]Event, len(live))
	for i, one := range live {
		event, err := one.event()
		if err != nil {
			return err
		}
		events[i] = event
	}
	return Record(ctx, tx, events...)
}

// SubscribedTypes returns the types of events that the destination of the call's events asks for; never nil, for one may ask for
// nothing, or there may be none.
func SubscribedTypes(ctx context.Context, tx dbsqlc.DBTX, call *dbsqlc.Call) ([]string, error) {
	types, err := dbsqlc.New().WebhookEndpointEventsForAssistant(ctx, tx, &dbsqlc.WebhookEndpointEventsForAssistantParams{
		AccountID: call.AccountID, AssistantID: db.UUIDOf(call.AssistantID),
	})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("read subscribed event types: %w", err)
	}
	return append([]string{}, types...), nil
}

type speechUpdate struct {
	message
	Status string `json:"status" enum:"started,stopped"`
	Role   string `json:"role" enum:"user,assistant" doc:"Who speaks."`
	Turn   int    `json:"turn" doc:"Turns before this one."`
}

type transferUpdate struct {
	message
	Status      string      `json:"status" enum:"started,completed,failed"`
	Destination destination `json:"destination"`
	Error       string      `json:"error,omitempty" doc:"Why it failed."`
}

func (l *Live) event() (Event, error) {
	event := Event{eventType: l.Type, call: l.Call, id: l.ID, optional: true}
	base := newMessageAt(l.Type, l.Call, l.At)
	switch l.Type {
	case callstate.EventSpeechUpdate:
		event.body = speechUpdate{base, l.Status, l.Role, l.Turn}
	case callstate.EventTransferUpdate:
		event.body = transferUpdate{base, l.Status, newDestination(l.Target), l.Error}
	case callstate.EventUserInterrupted, callstate.EventHang:
		event.body = base
	default:
		return Event{}, fmt.Errorf("%q is no live event", l.Type)
	}
	return event, nil
}
