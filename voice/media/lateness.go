package media

import (
	"sync/atomic"
	"time"
)

// lateAfter is how late a frame leaves that counts as late. The far end's jitter buffer makes up for several times that, so
// who acts on it does so before callers hear it.
const lateAfter = 10 * time.Millisecond

// lateness counts frames that were due.
type lateness struct{ frames, late atomic.Uint64 }

// count counts frames that left, or were left out, so long after they were due.
func (l *lateness) count(frames int, after time.Duration) {
	l.frames.Add(uint64(frames))
	if after > lateAfter {
		l.late.Add(uint64(frames))
	}
}

// Lateness returns how many frames were due so far, and how many of them left late.
func (c Clocks) Lateness() (frames, late uint64) {
	for _, clock := range c {
		frames, late = frames+clock.lateness.frames.Load(), late+clock.lateness.late.Load()
	}
	return frames, late
}
