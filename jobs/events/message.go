package events

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

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
	Assistant   *messageAssistant  `json:"assistant,omitempty"`
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
	AssistantID     *uuid.UUID        `json:"assistantId,omitempty"`
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

// messageAssistant is the assistant that has a call. One that a server made up has no id.
type messageAssistant struct {
	ID   *uuid.UUID `json:"id,omitempty"`
	Name string     `json:"name"`
}

type messageCustomer struct {
	Number    string     `json:"number"`
	Name      *string    `json:"name,omitempty"`
	ContactID *uuid.UUID `json:"contactId,omitempty"`
}

// messagePhoneNumber is a number of ours. Types of this field's servers tell numbers apart by their provider, and want a credential
// of those that customers brought.
type messagePhoneNumber struct {
	ID           uuid.UUID `json:"id"`
	Number       string    `json:"number"`
	Provider     string    `json:"provider"`
	CredentialID uuid.UUID `json:"credentialId"`
}

func newMessagePhoneNumber(id uuid.UUID, number string) messagePhoneNumber {
	return messagePhoneNumber{ID: id, Number: number, Provider: "byo-phone-number", CredentialID: id}
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
		Assistant:   newMessageAssistant(call),
		Customer:    messageCustomer{Number: call.ContactPhoneNumber, Name: call.ContactName, ContactID: call.ContactID},
		PhoneNumber: newMessagePhoneNumber(call.PhoneNumberID, call.PhoneNumber),
	}
}

// newMessageAssistant is nil while nobody has said which assistant takes the call.
func newMessageAssistant(call *dbsqlc.Call) *messageAssistant {
	if call.AssistantID == nil && call.AssistantName == "" {
		return nil
	}
	return &messageAssistant{ID: call.AssistantID, Name: call.AssistantName}
}

// publicStatus returns the word that servers of this field switch on; callStatus beside it is ours, which says how it ended.
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

// newMessageAt is newMessage at a time of the conversation, counted from the answer.
func newMessageAt(eventType string, call *dbsqlc.Call, at time.Duration) message {
	made := newMessage(eventType, call)
	if call.StartedAt != nil {
		made.Timestamp = call.StartedAt.Add(at).UnixMilli()
	}
	return made
}
