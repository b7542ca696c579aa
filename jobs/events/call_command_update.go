package events

import (
	"github.com/google/uuid"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
)

type callCommandUpdate struct {
	message
	Command messageCommand `json:"command"`
}

type messageCommand struct {
	ID     uuid.UUID `json:"id" doc:"The id that the request was answered with."`
	Type   string    `json:"type" enum:"say,add-message,end-call,transfer"`
	Status string    `json:"status" enum:"pending,done,failed"`
	Error  *string   `json:"error,omitempty" doc:"Why it failed."`
}

// CallCommandUpdate returns the event that a command is in the state that its row says.
func CallCommandUpdate(call *dbsqlc.Call, command *dbsqlc.CallCommand) Event {
	body := callCommandUpdate{
		message: newMessage(callstate.EventCallCommandUpdate, call),
		Command: messageCommand{ID: command.ID, Type: command.Type, Status: command.Status, Error: command.Error},
	}
	if command.FinishedAt != nil {
		body.Timestamp = command.FinishedAt.UnixMilli()
	}
	return Event{eventType: callstate.EventCallCommandUpdate, call: call, body: body}
}
