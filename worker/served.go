package worker

import (
	"slices"
	"sync"
	"time"

	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/served"
)

// tally counts who serves a call.
type tally struct {
	mu       sync.Mutex
	families map[served.Family][]jsonb.ServedBy
}

// add is a report of package served.
func (t *tally) add(family served.Family, by served.By) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.families == nil {
		t.families = map[served.Family][]jsonb.ServedBy{}
	}
	known := t.families[family]
	i := slices.IndexFunc(known, func(s jsonb.ServedBy) bool { return s.Provider == by.Vendor && s.StandIn == by.StandIn })
	if i < 0 {
		i, known = len(known), append(known, jsonb.ServedBy{Provider: by.Vendor, StandIn: by.StandIn, Since: time.Now().UTC()})
	}
	known[i].Times++
	t.families[family] = known
}

// providers returns what was counted.
func (t *tally) providers() *jsonb.Providers {
	t.mu.Lock()
	defer t.mu.Unlock()
	of := func(family served.Family) []jsonb.ServedBy { return append([]jsonb.ServedBy{}, t.families[family]...) }
	return &jsonb.Providers{Transcriber: of(served.STT), Model: of(served.LLM), Voice: of(served.TTS)}
}
