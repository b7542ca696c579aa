package media

import (
	"log/slog"
	"runtime"
	"slices"
)

// Clocks share the calls of a carrier.
type Clocks []*Clock

// processorsPerClock are of Go's.
const processorsPerClock = 4

// NewClocks returns one clock for every four of Go's processors, of which a worker may have two for each of the machine's: a
// clock keeps more than 1,000 calls of G.711 on one of those, and what listens to them needs far more than that.
func NewClocks(log *slog.Logger) Clocks {
	clocks := make(Clocks, max(1, runtime.GOMAXPROCS(0)/processorsPerClock))
	for i := range clocks {
		clocks[i] = NewClock(log)
	}
	return clocks
}

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
