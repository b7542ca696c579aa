package events

import (
	"time"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
)

type transcript struct {
	message
	Role             string  `json:"role" enum:"user,assistant"`
	TranscriptType   string  `json:"transcriptType" enum:"final" doc:"What is not final is not sent."`
	Transcript       string  `json:"transcript" doc:"What was said."`
	SecondsFromStart float64 `json:"secondsFromStart" doc:"Seconds from the answer."`
}

// Transcript returns one utterance of a call, in a role that speaks.
func Transcript(call *dbsqlc.Call, role, text string, secondsFromStart float64) Event {
	at := time.Duration(secondsFromStart * float64(time.Second))
	return Event{eventType: callstate.EventTranscript, call: call, optional: true, body: transcript{
		message: newMessageAt(callstate.EventTranscript, call, at), Role: role, TranscriptType: "final", Transcript: text,
		SecondsFromStart: secondsFromStart,
	}}
}
