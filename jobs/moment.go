package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
)

// Moment is something in a conversation that only those are told who ask for it. The fields that its type has are set.
type Moment struct {
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

// MomentsNoted records moments of live calls.
func MomentsNoted(ctx context.Context, tx pgx.Tx, in Inserter, moments ...*Moment) error {
	facts := make([]fact, len(moments))
	for i, moment := range moments {
		told, err := momentOf(moment)
		if err != nil {
			return err
		}
		facts[i] = told
	}
	deliveries, err := recordEvents(ctx, tx, facts...)
	if err != nil {
		return err
	}
	return enqueue(ctx, tx, in, deliveries)
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

type transcript struct {
	message
	Role             string  `json:"role"`
	TranscriptType   string  `json:"transcriptType"`
	Transcript       string  `json:"transcript"`
	SecondsFromStart float64 `json:"secondsFromStart"`
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

// destination is a telephone in the field's words.
type destination struct {
	Type   string `json:"type"` // number or sip
	Number string `json:"number,omitempty"`
	SIPURI string `json:"sipUri,omitempty"`
}

func transcriptOf(turn *Turn) fact {
	at := time.Duration(turn.SecondsFromStart * float64(time.Second))
	return fact{eventType: callstate.EventTranscript, call: turn.Call, optional: true, body: transcript{
		message: newMessageAt(callstate.EventTranscript, turn.Call, at), Role: turn.Role, TranscriptType: "final", Transcript: turn.Text,
		SecondsFromStart: turn.SecondsFromStart,
	}}
}

func momentOf(moment *Moment) (fact, error) {
	told := fact{eventType: moment.Type, call: moment.Call, id: moment.ID, optional: true}
	base := newMessageAt(moment.Type, moment.Call, moment.At)
	switch moment.Type {
	case callstate.EventSpeechUpdate:
		told.body = speechUpdate{base, moment.Status, moment.Role, moment.Turn}
	case callstate.EventTransferUpdate:
		told.body = transferUpdate{base, moment.Status, newDestination(moment.Target), moment.Error}
	case callstate.EventUserInterrupted, callstate.EventHang:
		told.body = base
	default:
		return fact{}, fmt.Errorf("%q is no moment", moment.Type)
	}
	return told, nil
}

// newMessageAt is newMessage about a moment of the conversation, counted from the answer.
func newMessageAt(eventType string, call *dbsqlc.Call, at time.Duration) message {
	told := newMessage(eventType, call)
	if call.StartedAt != nil {
		told.Timestamp = call.StartedAt.Add(at).UnixMilli()
	}
	return told
}

func newDestination(target string) destination {
	if strings.Contains(target, ":") || strings.Contains(target, "@") {
		return destination{Type: "sip", SIPURI: target}
	}
	return destination{Type: "number", Number: target}
}
