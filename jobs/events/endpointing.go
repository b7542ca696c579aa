package events

import (
	"time"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
)

type endpointingMessage struct {
	message
	Messages       []reportMessage `json:"messages"`
	MessagesOpenAI []openAIMessage `json:"messagesOpenAIFormatted"`
}

// EndpointingRequest asks for how long a caller who pauses may go on, whose words so far are the last of the turns.
func EndpointingRequest(call *dbsqlc.Call, turns []*dbsqlc.CallTurn, now time.Time) Event {
	body := endpointingMessage{message: newMessage(callstate.EventEndpointingRequest, call)}
	body.Timestamp = now.UnixMilli()
	for _, turn := range turns {
		message, openAI := messagesOf(call, turn)
		body.Messages, body.MessagesOpenAI = append(body.Messages, message), append(body.MessagesOpenAI, openAI)
	}
	return Event{eventType: callstate.EventEndpointingRequest, call: call, body: body}
}
