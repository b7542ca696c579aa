package events

import (
	"time"

	"github.com/callwright/callwright/db/jsonb"
)

// reportFailure is what happened with a vendor of the call, once or several times.
type reportFailure struct {
	Kind     string    `json:"kind" enum:"transcriber,model,voice,answering-detection" doc:"What the vendor was to do. answering-detection: a model was asked who had answered."`
	Provider string    `json:"provider"`
	Happened string    `json:"happened" enum:"timeout,stalled,unavailable,broke,refused,denied,skipped" doc:"As in providers.failures of the call."`
	Times    int       `json:"times"`
	Since    time.Time `json:"since" doc:"When it first happened."`
	StandIn  *string   `json:"standIn" doc:"Who served in its place the last time: another vendor, flite for the built-in voice, or rules; null: nobody, or the vendor itself when it was asked again."`
	Error    string    `json:"error" doc:"What the vendor said, or what it owed, the last time."`
}

func reportFailures(providers *jsonb.Providers) []reportFailure {
	if providers == nil {
		return nil
	}
	var failures []reportFailure
	for _, failure := range providers.Failures {
		failures = append(failures, reportFailure(failure))
	}
	return failures
}
