package events

import (
	"time"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
)

type endpointingMessage struct {
	message
	Messages       []reportMessage `json:"messages" nullable:"false" doc:"The conversation so far; the caller's words before the pause come last."`
	MessagesOpenAI []openAIMessage `json:"messagesOpenAIFormatted" nullable:"false" doc:"The same in the form of OpenAI's chat completions."`
}

// EndpointingRequest asks for how long a caller who pauses may go on, whose words so far are the last of the turns.
func EndpointingRequest(call *dbsqlc.Call, turns []*dbsqlc.CallTurn, now time.Time) Event {
	body := endpointingMessage{message: newMessage(callstate.EventEndpointingRequest, call)}
	body.Timestamp = now.UnixMilli()
	body.Messages, body.MessagesOpenAI = (&Report{Call: call, Turns: turns}).messages()
	return Event{eventType: callstate.EventEndpointingRequest, call: call, body: body}
}
