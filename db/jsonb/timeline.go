package jsonb

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// TimelineEntry is one state of a call and the time it was entered.
type TimelineEntry struct {
	Status      string    `json:"status"`
	At          time.Time `json:"at"`
	Destination string    `json:"destination,omitempty" doc:"Of forwarding: where the call was to go, a number in E.164 or a SIP URI."`
}

// Timeline is every state of a call, oldest first. That of a call which is over may be short in its row, as short_timeline
// has it: "queued 1795478168488796,dialing 12034", with microseconds since 1970, then since the state before.
type Timeline []TimelineEntry

// UnmarshalJSON implements json.Unmarshaler.
func (t *Timeline) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '"' {
		return json.Unmarshal(data, (*[]TimelineEntry)(t))
	}
	var short string
	if err := json.Unmarshal(data, &short); err != nil {
		return err
	}
	*t = nil
	var at int64
	for entry := range strings.SplitSeq(short, ",") {
		status, since, _ := strings.Cut(entry, " ")
		microseconds, err := strconv.ParseInt(since, 10, 64)
		if err != nil {
			return fmt.Errorf("read timeline: %w", err)
		}
		at += microseconds
		*t = append(*t, TimelineEntry{Status: status, At: time.UnixMicro(at).UTC()})
	}
	return nil
}
