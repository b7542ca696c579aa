package maintenance

import (
	"fmt"

	"github.com/callwright/callwright/db/dbsqlc"
)

const (
	// LeastRetention is the fewest days for which anything is kept: longer than it takes to deliver an event.
	LeastRetention = 3
	// MostRetention is the most days that can be given.
	MostRetention = 36_500
)

// Retention is for how many days things are kept; 0: for ever.
type Retention struct{ Transcripts, Recordings, Events, Calls, Audit int32 }

// ParseRetention reads days by the names of what they are for; what is not named is kept for ever.
func ParseRetention(days map[string]int) (Retention, error) {
	var parsed Retention
	fields := map[string]*int32{
		"transcripts": &parsed.Transcripts, "recordings": &parsed.Recordings, "events": &parsed.Events, "calls": &parsed.Calls,
		"audit": &parsed.Audit,
	}
	for name, n := range days {
		field := fields[name]
		if field == nil {
			return Retention{}, fmt.Errorf("%q is none of transcripts, recordings, events, calls and audit", name)
		}
		if n != 0 && (n < LeastRetention || n > MostRetention) {
			return Retention{}, fmt.Errorf("%s must be kept for %d to %d days, or 0 for ever", name, LeastRetention, MostRetention)
		}
		*field = int32(n)
	}
	return parsed, nil
}

// Of returns for how long the things of an account are kept, whose own days replace those of the deployment. Those of the audit
// are the deployment's alone.
func (r Retention) Of(transcripts, recordings, events, calls *int32) Retention {
	for field, own := range map[*int32]*int32{&r.Transcripts: transcripts, &r.Recordings: recordings, &r.Events: events,
		&r.Calls: calls} {
		if own != nil {
			*field = *own
		}
	}
	return r
}

func (r Retention) ofRow(row *dbsqlc.RetentionListAccountsRow) Retention {
	return r.Of(row.KeepTranscripts, row.KeepRecordings, row.KeepEvents, row.KeepCalls)
}
