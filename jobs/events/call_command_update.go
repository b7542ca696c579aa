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
	ID     uuid.UUID `json:"id"`
	Type   string    `json:"type"`
	Status string    `json:"status"`
	Error  *string   `json:"error,omitempty"`
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
