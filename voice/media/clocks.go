package media

import (
	"log/slog"
	"runtime"
	"slices"
)

// Clocks share the calls of a carrier.
type Clocks []*Clock

// processorsPerClock are of Go's: one that it keeps, and two for what listens to its calls.
const processorsPerClock = 3

// Threads returns how many of Go's processors let the clocks have one each, beside so many for all else.
func Threads(processors int) int { return processors + max(1, processors/(processorsPerClock-1)) }

// NewClocks returns one clock for every three of Go's processors, see Threads: a clock keeps more than 1,000 calls of G.711 on
// one of those, and what listens to them needs far more than that.
func NewClocks(log *slog.Logger) Clocks {
	clocks := make(Clocks, clocksFor(runtime.GOMAXPROCS(0)))
	for i := range clocks {
		clocks[i] = NewClock(log)
	}
	return clocks
}

func clocksFor(threads int) int { return max(1, threads/processorsPerClock) }

// Quietest returns the clock with the fewest members.
func (c Clocks) Quietest() *Clock {
	return slices.MinFunc(c, func(a, b *Clock) int { return a.Load() - b.Load() })
}

// Close stops the clocks for good and waits until they stand still.
func (c Clocks) Close() {
	for _, clock := range c {
		clock.Close()
	}
}
