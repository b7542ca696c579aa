package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"github.com/callwright/callwright/voice/turn/evidence"
)

const (
	parts  = 8
	steps  = 400
	stride = 0.3
	firm   = 6.0 // pauses that it takes to change a weight
)

// partOf keeps what answers a question in one part.
func partOf(p pause) int {
	sum := fnv.New32a()
	sum.Write([]byte(p.Asked)) //nolint:errcheck // a hash never fails
	return int(sum.Sum32() % parts)
}

// fitParts returns the weights for each part, made of the others.
func fitParts(all []pause) (of [parts]evidence.Weighing) {
	for n := range parts {
		of[n] = fit(slices.DeleteFunc(slices.Clone(all), func(p pause) bool { return partOf(p) == n }))
	}
	return of
}

// fit returns the weights that make what was true most likely, by AdaGrad: a logistic regression that starts from those set by
// hand, and leaves them the less the fewer pauses speak for others. Habit keeps its own: the corpus's callers have none, their
// pauses are drawn.
func fit(of []pause) evidence.Weighing {
	to := start
	var steepness [len(to)]float64
	for range steps {
		var slope [len(to)]float64
		for i := range to {
			slope[i] = firm * (to[i] - start[i])
		}
		for _, p := range of {
			terms := p.Terms()
			wrong := to.Likelihood(p.Factors)
			if p.More {
				wrong--
			}
			for i, x := range terms {
				slope[i] += wrong * x
			}
		}
		slope[evidence.TermHabit] = 0
		for i, s := range slope {
			if steepness[i] += s * s; s != 0 {
				to[i] -= stride * s / math.Sqrt(steepness[i])
			}
		}
		bound(&to)
	}
	return to
}

// What the corpus cannot tell: a full stop never speaks for more than none, although a quarter of its recognisers put one at each
// pause, and more callers answer with one word, or with a few that need no more, than pause behind them in the same voice.
const (
	stopTells = 0.3
	wholeWord = -1
	whole     = -3.4
	story     = 1.2
)

func bound(w *evidence.Weighing) {
	w[evidence.Stop] = min(w[evidence.Stop], w[evidence.Statement]-stopTells)
	w[evidence.Whole] = min(w[evidence.Whole], whole)
	w[evidence.TermTold] = min(w[evidence.TermTold], story)
	w[evidence.WholeWord] = min(w[evidence.WholeWord], wholeWord)
}

// The pauses of the corpus within turns are of any length between these.
const (
	shortest = 300 * time.Millisecond
	longest  = 2000 * time.Millisecond
)

// sumUp says how many turns would be cut off, and how long is waited behind those that are over.
func sumUp(all []pause, by func(pause) evidence.Weighing) string {
	var waits []time.Duration
	var cut, surprise float64
	for _, p := range all {
		likely := by(p).Likelihood(p.Factors)
		wait := evidence.Wait(likely, p.Said)
		if p.More {
			cut += min(max(float64(longest-wait)/float64(longest-shortest), 0), 1)
			surprise -= math.Log(likely)
			continue
		}
		surprise -= math.Log(1 - likely)
		waits = append(waits, wait)
	}
	slices.SortFunc(waits, cmp.Compare[time.Duration])
	at := func(q float64) time.Duration { return waits[int(q*float64(len(waits)-1))].Round(time.Millisecond) }
	return fmt.Sprintf("%.2f %% cut off, waits p50 %v p90 %v p95 %v, %.3f nats a pause", 100*cut/float64(len(waits)), at(0.5),
		at(0.9),
		at(0.95), surprise/float64(len(all)))
}
