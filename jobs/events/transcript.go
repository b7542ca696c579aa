package events

import (
	"time"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
)

type transcript struct {
	message
	Role             string  `json:"role"`
	TranscriptType   string  `json:"transcriptType"`
	Transcript       string  `json:"transcript"`
	SecondsFromStart float64 `json:"secondsFromStart"`
}

// Transcript returns one utterance of a call, in a role that speaks.
func Transcript(call *dbsqlc.Call, role, text string, secondsFromStart float64) Event {
	at := time.Duration(secondsFromStart * float64(time.Second))
	return Event{eventType: callstate.EventTranscript, call: call, optional: true, body: transcript{
		message: newMessageAt(callstate.EventTranscript, call, at), Role: role, TranscriptType: "final", Transcript: text,
		SecondsFromStart: secondsFromStart,
	}}
}
