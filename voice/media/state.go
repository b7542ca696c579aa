package media

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/callwright/callwright/voice/audio"
)

// state is what both directions of a stream share.
type state struct {
	Counts Counters

	formats  atomic.Pointer[Formats]
	band     audio.Band // of what is played and heard; set before the clock starts
	epoch    time.Time
	life     life
	sounded  atomic.Int64 // time of the last packet of sound, see Stream.Now
	starved  atomic.Int64 // frames of silence delivered since then
	incoming *incoming
	playout  playout
	tap      recordingTap

	mu   sync.Mutex // guards keys and text
	keys eventWriter
	text textWriter
}

// Now returns the time since the stream was made, which atomics can hold.
func (s *state) Now() time.Duration { return time.Since(s.epoch) }
