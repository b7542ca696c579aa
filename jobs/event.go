package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

// message is what a customer's server receives, in the shape that servers written for this field parse: camelCase, the
// type first. eventId and sequence are added when it is sent.
type message struct {
	Type        string             `json:"type"`
	Timestamp   int64              `json:"timestamp"` // Unix milliseconds
	Call        messageCall        `json:"call"`
	Assistant   messageAssistant   `json:"assistant"`
	Customer    messageCustomer    `json:"customer"`
	PhoneNumber messagePhoneNumber `json:"phoneNumber"`
}

type messageCall struct {
	ID              uuid.UUID         `json:"id"`
	OrgID           uuid.UUID         `json:"orgId"`
	Type            string            `json:"type"`
	Status          string            `json:"status"`
	CallStatus      string            `json:"callStatus"`
	CreatedAt       time.Time         `json:"createdAt"`
	UpdatedAt       time.Time         `json:"updatedAt"`
	StartedAt       *time.Time        `json:"startedAt,omitempty"`
	EndedAt         *time.Time        `json:"endedAt,omitempty"`
	EndedReason     *string           `json:"endedReason,omitempty"`
	EndedFault      *string           `json:"endedFault,omitempty"`
	AssistantID     uuid.UUID         `json:"assistantId"`
	PhoneNumberID   uuid.UUID         `json:"phoneNumberId"`
	ScheduledCallID *uuid.UUID        `json:"scheduledCallId,omitempty"`
	CustomData      json.RawMessage   `json:"customData"`
	Transport       string            `json:"phoneCallTransport"`
	Overrides       *messageOverrides `json:"assistantOverrides,omitempty"`
}

// messageOverrides is where servers of this field look for the variables of a call.
type messageOverrides struct {
	VariableValues jsonb.Strings `json:"variableValues"`
}

type messageAssistant struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

type messageCustomer struct {
	Number    string     `json:"number"`
	Name      *string    `json:"name,omitempty"`
	ContactID *uuid.UUID `json:"contactId,omitempty"`
}

type messagePhoneNumber struct {
	ID     uuid.UUID `json:"id"`
	Number string    `json:"number"`
}

type statusUpdate struct {
	message
	Status      string       `json:"status"`
	CallStatus  string       `json:"callStatus"`
	EndedReason *string      `json:"endedReason,omitempty"`
	Destination *destination `json:"destination,omitempty"` // of a call that is being transferred
}

func newMessage(eventType string, call *dbsqlc.Call) message {
	direction := "outboundPhoneCall"
	if call.Direction == "inbound" {
		direction = "inboundPhoneCall"
	}
	var overrides *messageOverrides
	if len(call.Variables) > 0 {
		overrides = &messageOverrides{call.Variables}
	}
	return message{
		Type: eventType, Timestamp: call.UpdatedAt.UnixMilli(),
		Call: messageCall{
			ID: call.ID, OrgID: call.AccountID, Type: direction, Status: publicStatus(call.Status), CallStatus: call.Status,
			CreatedAt: call.CreatedAt.UTC(), UpdatedAt: call.UpdatedAt.UTC(), StartedAt: utc(call.StartedAt), EndedAt: utc(call.EndedAt),
			EndedReason: call.EndedReason, EndedFault: call.EndedFault, AssistantID: call.AssistantID, PhoneNumberID: call.PhoneNumberID,
			ScheduledCallID: call.ScheduledCallID, CustomData: call.CustomData, Transport: "sip", Overrides: overrides,
		},
		Assistant:   messageAssistant{ID: call.AssistantID, Name: call.AssistantName},
		Customer:    messageCustomer{Number: call.ContactPhoneNumber, Name: call.ContactName, ContactID: call.ContactID},
		PhoneNumber: messagePhoneNumber{ID: call.PhoneNumberID, Number: call.PhoneNumber},
	}
}

// publicStatus is the word that servers of this field switch on; callStatus beside it is ours, which says how it ended.
func publicStatus(status string) string {
	switch {
	case callstate.Final(status):
		return "ended"
	case status == callstate.StatusDialing:
		return callstate.StatusQueued
	}
	return status
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return new(t.UTC())
}

// fact is something that happened to a call, and the message that tells of it.
type fact struct {
	eventType string
	call      *dbsqlc.Call
	body      any
	id        uuid.UUID // of a fact that may be written again and counts once; zero: a new one
	optional  bool      // written only for those who ask for it
}

// statusOf is the fact that a call is in the state that its row says.
func statusOf(call *dbsqlc.Call) fact {
	body := statusUpdate{
		message: newMessage(callstate.EventStatusUpdate, call), Status: publicStatus(call.Status), CallStatus: call.Status, EndedReason: call.EndedReason,
	}
	if call.Status == callstate.StatusForwarding {
		body.Destination = transferredTo(call)
	}
	return fact{eventType: callstate.EventStatusUpdate, call: call, body: body}
}

// transferredTo returns where a call goes or went; nil: nowhere.
func transferredTo(call *dbsqlc.Call) *destination {
	if call.TransferredTo == nil {
		return nil
	}
	return new(newDestination(*call.TransferredTo))
}

// transfer is one that was tried in a call.
type transfer struct {
	Destination destination `json:"destination"`
	Mode        string      `json:"mode"`   // always "blind-transfer": nobody is spoken to before
	Status      string      `json:"status"` // completed; failed, also of a caller who hung up meanwhile
	Time        int64       `json:"time"`   // Unix milliseconds
}

func transfersOf(call *dbsqlc.Call) []transfer {
	var tried []transfer
	for _, moment := range call.Timeline {
		if moment.Destination != "" {
			tried = append(tried, transfer{newDestination(moment.Destination), "blind-transfer", "failed", moment.At.UnixMilli()})
		}
	}
	if transferredTo(call) != nil {
		tried[len(tried)-1].Status = "completed"
	}
	return tried
}

// recordEvents writes the events of facts, in their order, and answers the jobs that they make necessary, which the
// caller enqueues in the same transaction. What was written before is not written again: the same id, or a second
// end-of-call-report of one call.
func recordEvents(ctx context.Context, tx pgx.Tx, facts ...fact) ([]river.InsertManyParams, error) {
	params := &dbsqlc.EventInsertManyParams{}
	for _, fact := range facts {
		payload, err := json.Marshal(fact.body)
		if err != nil {
			return nil, fmt.Errorf("encode %s event: %w", fact.eventType, err)
		}
		if fact.id == uuid.Nil {
			if fact.id, err = uuid.NewV7(); err != nil {
				return nil, fmt.Errorf("make event id: %w", err)
			}
		}
		params.Ids = append(params.Ids, fact.id)
		params.AccountIds = append(params.AccountIds, fact.call.AccountID)
		params.Types = append(params.Types, fact.eventType)
		params.CallIds = append(params.CallIds, fact.call.ID)
		params.Payloads = append(params.Payloads, payload)
		params.AssistantIds = append(params.AssistantIds, fact.call.AssistantID)
		params.Optional = append(params.Optional, fact.optional)
	}
	written, err := dbsqlc.New().EventInsertMany(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("insert events: %w", err)
	}
	var deliveries []river.InsertManyParams
	for _, event := range written {
		if event.Delivery == "pending" {
			deliveries = append(deliveries, river.InsertManyParams{Args: DeliverEventArgs{EventID: event.ID, AccountID: event.AccountID}})
		}
	}
	return deliveries, nil
}

// enqueue inserts jobs, if there are any.
func enqueue(ctx context.Context, tx pgx.Tx, in Inserter, params []river.InsertManyParams) error {
	if len(params) == 0 {
		return nil
	}
	if _, err := in.InsertManyTx(ctx, tx, params); err != nil {
		return fmt.Errorf("enqueue jobs: %w", err)
	}
	return nil
}
