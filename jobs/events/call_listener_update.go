package events

import (
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
)

type callListenerUpdate struct {
	message
	Listener messageListener `json:"listener"`
}

// messageListener is somebody who listens in on a call.
type messageListener struct {
	ID       uuid.UUID  `json:"id"`
	Status   string     `json:"status" enum:"joined,left" doc:"joined also where the mode has changed since."`
	Mode     string     `json:"mode" enum:"listen,whisper,barge" doc:"listen: unheard by all; whisper: the assistant follows what they say, the caller hears nothing; barge: they speak to the caller in the assistant's place."`
	PersonID *uuid.UUID `json:"personId,omitempty" doc:"Id of the member; missing where a key was used."`
	APIKeyID *uuid.UUID `json:"apiKeyId,omitempty" doc:"Id of the key; missing where a member signed in."`
}

// CallListenerUpdate returns the event that a listener is in the state that its row says.
func CallListenerUpdate(call *dbsqlc.Call, row *dbsqlc.CallListener) Event {
	body := callListenerUpdate{
		message:  newMessage(callstate.EventCallListenerUpdate, call),
		Listener: messageListener{ID: row.ID, Status: row.Status, Mode: row.Mode, PersonID: row.PersonID, APIKeyID: row.APIKeyID},
	}
	body.Timestamp = time.Now().UnixMilli()
	if row.EndedAt != nil {
		body.Timestamp = row.EndedAt.UnixMilli()
	}
	return Event{eventType: callstate.EventCallListenerUpdate, call: call, body: body}
}
