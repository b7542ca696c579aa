package conversation

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/voice/turn/evidence"
)

// Pause is what a session knew when a caller paused, and what was true.
type Pause struct {
	evidence.Factors
	More  bool   // the caller went on
	Asked string // what the assistant had asked
	Said  string // what the caller has said since
}

// pauses keeps what a session knows of each pause, by when it began. The last of several judgements counts.
type pauses map[time.Duration]Pause

// paused is what the session of a room calls behind words of the caller.
func (r *room) paused(p turn.CallerPause) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var over bool
	for _, w := range r.words {
		if !w.other && w.from < p.Since {
			over = w.ends
		}
	}
	r.pauses[p.Since] = Pause{Factors: evidence.Weigh(p.Signs), More: !over, Asked: p.Signs.Asked, Said: p.Signs.Said}
}

// observed returns the pauses of a call as checks that are never bad.
func (r *room) observed() (checks []Check) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, since := range slices.Sorted(maps.Keys(r.pauses)) {
		pause := r.pauses[since]
		checks = append(checks, Check{Kind: "pause", Pause: &pause})
	}
	return checks
}

// WritePauses writes the pauses among checks, a line of JSON each, from which voice/turn/evidence/fit makes weights.
func WritePauses(w io.Writer, checks []Check) error {
	lines := json.NewEncoder(w)
	for _, c := range checks {
		if c.Pause == nil {
			continue
		}
		if err := lines.Encode(c.Pause); err != nil {
			return fmt.Errorf("write pauses: %w", err)
		}
	}
	return nil
}
