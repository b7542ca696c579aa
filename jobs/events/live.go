package events

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// Live is something in a conversation that only those are told who ask for it. The fields that its type has are set.
type Live struct {
	Call   *dbsqlc.Call
	ID     uuid.UUID // of its event: a moment that is written again counts once
	Type   string    // callstate.EventSpeechUpdate, callstate.EventUserInterrupted, callstate.EventHang or callstate.EventTransferUpdate
	At     time.Duration
	Status string // speech-update: started or stopped; transfer-update: started, completed or failed
	Role   string // speech-update
	Turn   int    // speech-update: turns before this one
	Target string // transfer-update: E.164 or SIP URI
	Error  string // transfer-update: why it failed
}

// RecordLive records moments of live calls.
func RecordLive(ctx context.Context, tx pgx.Tx, in queue.Inserter, moments ...*Live) error {
	facts := make([]Event, len(moments))
	for i, moment := range moments {
		told, err := liveEvent(moment)
		if err != nil {
			return err
		}
		facts[i] = told
	}
	return Record(ctx, tx, in, facts...)
}

// SubscribedTypes are the types of events that the destination of the call's events asks for; never nil, for one may ask for
// nothing, or there may be none.
func SubscribedTypes(ctx context.Context, tx dbsqlc.DBTX, call *dbsqlc.Call) ([]string, error) {
	types, err := dbsqlc.New().WebhookEndpointEventsForAssistant(ctx, tx, &dbsqlc.WebhookEndpointEventsForAssistantParams{
		AccountID: call.AccountID, AssistantID: call.AssistantID,
	})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("read subscribed event types: %w", err)
	}
	return append([]string{}, types...), nil
}

type speechUpdate struct {
	message
	Status string `json:"status"`
	Role   string `json:"role"`
	Turn   int    `json:"turn"`
}

type transferUpdate struct {
	message
	Status      string      `json:"status"`
	Destination destination `json:"destination"`
	Error       string      `json:"error,omitempty"`
}

func liveEvent(moment *Live) (Event, error) {
	told := Event{eventType: moment.Type, call: moment.Call, id: moment.ID, optional: true}
	base := newMessageAt(moment.Type, moment.Call, moment.At)
	switch moment.Type {
	case callstate.EventSpeechUpdate:
		told.body = speechUpdate{base, moment.Status, moment.Role, moment.Turn}
	case callstate.EventTransferUpdate:
		told.body = transferUpdate{base, moment.Status, newDestination(moment.Target), moment.Error}
	case callstate.EventUserInterrupted, callstate.EventHang:
		told.body = base
	default:
		return Event{}, fmt.Errorf("%q is no moment", moment.Type)
	}
	return told, nil
}
