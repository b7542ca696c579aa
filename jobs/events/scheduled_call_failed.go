package events

import (
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
)

// scheduledCallFailed names the contact by its id alone: what belongs to no call is not found when a person is erased.
type scheduledCallFailed struct {
	Type          string               `json:"type" doc:"What happened."`
	Timestamp     int64                `json:"timestamp" doc:"When it happened: Unix time in milliseconds."`
	ScheduledCall messageScheduledCall `json:"scheduledCall"`
	Assistant     messageAssistant     `json:"assistant"`
	Cause         string               `json:"cause" enum:"assistant-deleted,contact-deleted,no-phone-number,destination-not-allowed,budget-exhausted" doc:"Why there is no call."`
	Explanation   string               `json:"explanation" doc:"The same in a sentence, which the scheduled call shows too."`
}

type messageScheduledCall struct {
	ID            uuid.UUID `json:"id"`
	ScheduledTime time.Time `json:"scheduledTime"`
	AssistantID   uuid.UUID `json:"assistantId"`
	ContactID     uuid.UUID `json:"contactId"`
}

// The causes for which a scheduled call makes no call.
const (
	CauseAssistantDeleted      = "assistant-deleted"
	CauseContactDeleted        = "contact-deleted"
	CauseNoPhoneNumber         = "no-phone-number"         // the assistant has none
	CauseDestinationNotAllowed = "destination-not-allowed" // the account may not dial it, or not any more today
	CauseBudgetExhausted       = "budget-exhausted"        // the account has spent its budget of the month
)

// ScheduledCallFailed returns the event that a scheduled call was given up without a call.
func ScheduledCallFailed(scheduled *dbsqlc.ScheduledCall, assistantName, cause, explanation string) Event {
	body := scheduledCallFailed{
		Type: callstate.EventScheduledCallFailed, Timestamp: time.Now().UnixMilli(),
		ScheduledCall: messageScheduledCall{
			ID: scheduled.ID, ScheduledTime: scheduled.ScheduledTime.UTC(), AssistantID: scheduled.AssistantID,
			ContactID: scheduled.ContactID,
		},
		Assistant: messageAssistant{ID: &scheduled.AssistantID, Name: assistantName}, Cause: cause, Explanation: explanation,
	}
	return Event{eventType: callstate.EventScheduledCallFailed, accountID: scheduled.AccountID, body: body}
}
