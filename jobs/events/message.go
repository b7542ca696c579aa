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
	Type        string             `json:"type" doc:"What happened."`
	Timestamp   int64              `json:"timestamp" doc:"When it happened: Unix time in milliseconds."`
	Call        messageCall        `json:"call"`
	Assistant   *messageAssistant  `json:"assistant,omitempty"`
	Customer    messageCustomer    `json:"customer"`
	PhoneNumber messagePhoneNumber `json:"phoneNumber,omitzero" doc:"Missing in a webCall."`
}

type messageCall struct {
	ID              uuid.UUID         `json:"id" doc:"call_id of the API."`
	OrgID           uuid.UUID         `json:"orgId" doc:"Your account."`
	Type            string            `json:"type" enum:"inboundPhoneCall,outboundPhoneCall,webCall" doc:"webCall: a browser, which has no number of ours."`
	Status          string            `json:"status" enum:"queued,ringing,in-progress,forwarding,ended" doc:"The word that servers of this field switch on; callStatus says how a call ended."`
	CallStatus      string            `json:"callStatus" enum:"queued,dialing,ringing,in-progress,forwarding,completed,missed,busy,no-answer,voicemail,failed,canceled" doc:"call_status of the API."`
	CreatedAt       time.Time         `json:"createdAt"`
	UpdatedAt       time.Time         `json:"updatedAt"`
	StartedAt       *time.Time        `json:"startedAt,omitempty" doc:"When it was answered."`
	EndedAt         *time.Time        `json:"endedAt,omitempty"`
	EndedReason     *string           `json:"endedReason,omitempty" doc:"Why the call ended, such as customer-ended-call."`
	EndedFault      *string           `json:"endedFault,omitempty" enum:"customer,assistant,carrier,provider,config,platform" doc:"Who ended it or whose failure did."`
	AssistantID     *uuid.UUID        `json:"assistantId,omitempty" doc:"Missing where no assistant of yours had the call."`
	PhoneNumberID   uuid.UUID         `json:"phoneNumberId,omitzero" doc:"Missing in a webCall."`
	ScheduledCallID *uuid.UUID        `json:"scheduledCallId,omitempty" doc:"The scheduled call that made it."`
	CustomData      json.RawMessage   `json:"customData" doc:"custom_data as it was given; an object."`
	Transport       string            `json:"phoneCallTransport,omitempty" enum:"sip" doc:"Missing in a webCall."`
	Overrides       *messageOverrides `json:"assistantOverrides,omitempty"`
}

// messageOverrides is where servers of this field look for the variables of a call.
type messageOverrides struct {
	VariableValues jsonb.Strings `json:"variableValues" doc:"The variables of the call."`
}

// messageAssistant is the assistant that has a call. One that a server made up has no id.
type messageAssistant struct {
	ID   *uuid.UUID `json:"id,omitempty"`
	Name string     `json:"name"`
}

type messageCustomer struct {
	Number    string     `json:"number" doc:"E.164; empty of a caller who withholds it." example:"+31612345678"`
	Name      *string    `json:"name,omitempty"`
	ContactID *uuid.UUID `json:"contactId,omitempty" doc:"contact_id of the API, where the person is a contact."`
}

// messagePhoneNumber is a number of ours. Types of this field's servers tell numbers apart by their provider, and want a
// credential of those that customers brought.
type messagePhoneNumber struct {
	ID           uuid.UUID `json:"id"`
	Number       string    `json:"number" doc:"Ours: E.164." example:"+31850000000"`
	Provider     string    `json:"provider" doc:"byo-phone-number, for servers of this field."`
	CredentialID uuid.UUID `json:"credentialId" doc:"The same as id, for servers of this field."`
}

func newMessagePhoneNumber(id uuid.UUID, number string) messagePhoneNumber {
	return messagePhoneNumber{ID: id, Number: number, Provider: "byo-phone-number", CredentialID: id}
}

func newMessage(eventType string, call *dbsqlc.Call) message {
	var overrides *messageOverrides
	if len(call.Variables) > 0 {
		overrides = &messageOverrides{call.Variables}
	}
	made := message{
		Type: eventType, Timestamp: call.UpdatedAt.UnixMilli(),
		Call: messageCall{
			ID: call.ID, OrgID: call.AccountID, Type: typeOf(call), Status: publicStatus(call.Status), CallStatus: call.Status,
			CreatedAt: call.CreatedAt.UTC(), UpdatedAt: call.UpdatedAt.UTC(), StartedAt: utc(call.StartedAt), EndedAt: utc(call.EndedAt),
			EndedReason: call.EndedReason, EndedFault: call.EndedFault, AssistantID: call.AssistantID, PhoneNumberID: call.PhoneNumberID,
			ScheduledCallID: call.ScheduledCallID, CustomData: call.CustomData, Overrides: overrides,
		},
		Assistant: newMessageAssistant(call),
		Customer:  messageCustomer{Number: call.ContactPhoneNumber, Name: call.ContactName, ContactID: call.ContactID},
	}
	if call.PhoneNumberID != uuid.Nil {
		made.PhoneNumber, made.Call.Transport = newMessagePhoneNumber(call.PhoneNumberID, call.PhoneNumber), "sip"
	}
	return made
}

// typeOf returns the word that servers of this field have for a kind of call.
func typeOf(call *dbsqlc.Call) string {
	switch {
	case call.Channel == "web":
		return "webCall"
	case call.Direction == "inbound":
		return "inboundPhoneCall"
	}
	return "outboundPhoneCall"
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
