package events

import (
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
)

type sipConnectionStopped struct {
	Type          string               `json:"type" doc:"What happened."`
	Timestamp     int64                `json:"timestamp" doc:"When it happened: Unix time in milliseconds."`
	SIPConnection messageSIPConnection `json:"sipConnection"`
	PhoneNumber   messagePhoneNumber   `json:"phoneNumber"`
}

type messageSIPConnection struct {
	ID           uuid.UUID `json:"id"`
	ProviderName string    `json:"providerName"`
	Reason       string    `json:"reason" enum:"failed-for-a-day,number-taken-back"`
	LastError    *string   `json:"lastError,omitempty" doc:"What the last registration failed of."`
	SIPCode      *int32    `json:"sipCode,omitempty" doc:"The SIP response to it."`
}

// The reasons for which a SIP connection stops.
const (
	StoppedFailing   = "failed-for-a-day"
	StoppedTakenBack = "number-taken-back"
)

// SIPConnectionStopped returns the event that nobody keeps a connection registered any more.
func SIPConnectionStopped(connection *dbsqlc.SIPConnection, number, reason string) Event {
	body := sipConnectionStopped{
		Type: callstate.EventSIPConnectionStopped, Timestamp: time.Now().UnixMilli(),
		SIPConnection: messageSIPConnection{
			ID: connection.ID, ProviderName: connection.ProviderName, Reason: reason, LastError: connection.LastError,
			SIPCode: connection.SIPCode,
		},
		PhoneNumber: newMessagePhoneNumber(connection.PhoneNumberID, number),
	}
	return Event{eventType: callstate.EventSIPConnectionStopped, accountID: connection.AccountID, body: body}
}
