package worker

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/providers/usage"
)

// tally counts who serves a call, and what that takes.
type tally struct {
	mu       sync.Mutex
	families map[served.Family][]jsonb.ServedBy
	failures jsonb.Failures
	open     map[served.Family][]int // failures for which nobody has stood in yet, so far
	used     jsonb.Usage
	sound    map[string]time.Duration // that was transcribed, by vendor and model, below a millisecond of what is in used
	grown    bool                     // since what was used was last asked for
}

// meter returns a context whose requests the tally counts, and which of them fail.
func (t *tally) meter(ctx context.Context) context.Context {
	return served.ReportFailures(usage.Meter(ctx, t.use), t.fail)
}

// use is a meter of package usage.
func (t *tally) use(use usage.Use) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.grown = true
	item := jsonb.UsageItem{Provider: use.Vendor, Model: db.Storable(use.Model), Estimated: use.Estimated}
	add := func(costType, kind string, quantity int64) {
		item.Type, item.Kind, item.Quantity = costType, kind, quantity
		t.used = t.used.Add(item)
	}
	add(jsonb.CostModel, jsonb.KindPrompt, int64(use.Prompt))
	add(jsonb.CostModel, jsonb.KindCached, int64(use.Cached))
	add(jsonb.CostModel, jsonb.KindCompletion, int64(use.Completion))
	add(jsonb.CostKnowledge, jsonb.KindEmbedding, int64(use.Embedding))
	add(jsonb.CostVoice, jsonb.KindCharacters, int64(use.Characters))
	add(jsonb.CostTranscriber, jsonb.KindTranscriber, t.milliseconds(use))
}

// milliseconds returns how many more of the sound of a vendor's model there are whole.
func (t *tally) milliseconds(use usage.Use) int64 {
	if use.Sound == 0 {
		return 0
	}
	if t.sound == nil {
		t.sound = map[string]time.Duration{}
	}
	of := use.Vendor + " " + use.Model
	sound := t.sound[of] + use.Sound
	t.sound[of] = sound % time.Millisecond
	return sound.Milliseconds()
}

// usage returns what was used so far.
func (t *tally) usage() jsonb.Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.used)
}

// growth returns what was used so far; nil: no more than when it was last called.
func (t *tally) growth() jsonb.Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.grown {
		return nil
	}
	t.grown = false
	return slices.Clone(t.used)
}

// usageOf returns what a call had used when its process, which is gone, wrote the last of its turns.
func usageOf(turns []*dbsqlc.CallTurn) jsonb.Usage {
	for _, turn := range slices.Backward(turns) {
		if turn.Usage != nil {
			return turn.Usage
		}
	}
	return nil
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
	for _, failed := range t.open[family] {
		if t.failures[failed].Provider != by.Vendor {
			t.failures[failed].StandIn = &by.Vendor
		}
	}
	delete(t.open, family)
}

// Of the failures of a call as many are told apart as there can be kinds of, by far, and of what a vendor says as much as a line
// holds.
const (
	mostFailures     = 32
	mostFailureError = 200 // characters
)

// rules stand in for a model that does not say who has answered.
const rules = "rules"

// fail is a report of failures of package served.
func (t *tally) fail(family served.Family, failed served.Failure) {
	t.mu.Lock()
	defer t.mu.Unlock()
	kind, happened := string(family), string(failed.Happened)
	i := slices.IndexFunc(t.failures, func(f jsonb.Failure) bool {
		return f.Kind == kind && f.Provider == failed.Vendor && f.Happened == happened
	})
	if i < 0 {
		if len(t.failures) == mostFailures {
			return
		}
		i = len(t.failures)
		t.failures = append(t.failures, jsonb.Failure{Kind: kind, Provider: failed.Vendor, Happened: happened, Since: time.Now().UTC()})
	}
	entry := &t.failures[i]
	entry.Times++
	entry.Error, entry.StandIn = db.Storable(clip(failed.Message, mostFailureError)), nil
	switch {
	case family == served.Answerer:
		entry.StandIn = new(rules)
	case failed.StandIn != "":
		entry.StandIn = &failed.StandIn
	case !slices.Contains(t.open[family], i):
		if t.open == nil {
			t.open = map[served.Family][]int{}
		}
		t.open[family] = append(t.open[family], i)
	}
}

// clip returns the beginning of a text, of so many characters at most.
func clip(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// providers returns what was counted.
func (t *tally) providers() *jsonb.Providers {
	t.mu.Lock()
	defer t.mu.Unlock()
	of := func(family served.Family) []jsonb.ServedBy { return append([]jsonb.ServedBy{}, t.families[family]...) }
	return &jsonb.Providers{Transcriber: of(served.STT), Model: of(served.LLM), Voice: of(served.TTS),
		Failures: slices.Clone(t.failures)}
}
