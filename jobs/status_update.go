package jobs

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

// statusOf is the fact that a call is in the state that its row says.
func statusOf(call *dbsqlc.Call) fact {
	body := statusUpdate{
		message: newMessage(callstate.EventStatusUpdate, call), Status: publicStatus(call.Status), CallStatus: call.Status, EndedReason: call.EndedReason,
	}
	if call.Status == callstate.StatusForwarding {
		body.Destination = new(newDestination(call.Timeline[len(call.Timeline)-1].Destination))
	}
	return fact{eventType: callstate.EventStatusUpdate, call: call, body: body}
}
