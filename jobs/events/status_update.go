package events

import (
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
)

type statusUpdate struct {
	message
	Status      string       `json:"status" enum:"queued,ringing,in-progress,forwarding,ended"`
	CallStatus  string       `json:"callStatus" enum:"queued,dialing,ringing,in-progress,forwarding,completed,missed,busy,no-answer,voicemail,failed,canceled" doc:"call_status of the API: how a call ended that has ended."`
	EndedReason *string      `json:"endedReason,omitempty" doc:"Why the call ended, such as customer-ended-call."`
	Destination *destination `json:"destination,omitempty" doc:"Where a call goes that is being transferred."`
}

// StatusUpdate returns the event that a call is in the state that its row says.
func StatusUpdate(call *dbsqlc.Call) Event {
	body := statusUpdate{
		message: newMessage(callstate.EventStatusUpdate, call), Status: publicStatus(call.Status), CallStatus: call.Status,
		EndedReason: call.EndedReason,
	}
	if call.Status == callstate.StatusForwarding {
		body.Destination = transferredTo(call)
	}
	return Event{eventType: callstate.EventStatusUpdate, call: call, body: body}
}
