package events

import (
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
)

type statusUpdate struct {
	message
	Status      string       `json:"status"`
	CallStatus  string       `json:"callStatus"`
	EndedReason *string      `json:"endedReason,omitempty"`
	Destination *destination `json:"destination,omitempty"` // of a call that is being transferred
}

// StatusUpdate returns the event that a call is in the state that its row says.
func StatusUpdate(call *dbsqlc.Call) Event {
	body := statusUpdate{
		message: newMessage(callstate.EventStatusUpdate, call), Status: publicStatus(call.Status), CallStatus: call.Status, EndedReason: call.EndedReason,
	}
	if call.Status == callstate.StatusForwarding {
		body.Destination = transferredTo(call)
	}
	return Event{eventType: callstate.EventStatusUpdate, call: call, body: body}
}
