package simnet

import (
	"math"
	"sync"
	"time"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/sip"
)

// echo is a telephone whose microphone hears its loudspeaker. It works on the clock of the
// call, as the air between the two does: whatever a busy machine keeps waiting, the delay
// stays as it is.
type echo struct {
	leg  *sip.Leg
	gain float64

	mu      sync.Mutex
	delayed []int16 // what was received and has not come back yet
	speech  []int16 // of the far end itself
}

// newEcho begins to send what is received back. A frame that is played leaves with the next
// tick of the clock, which is a part of the delay.
func newEcho(leg *sip.Leg, step Step) *echo {
	delay := max(step.Echo-audio.FrameDuration, 0)
	e := &echo{leg: leg, gain: math.Pow(10, step.Gain/20), delayed: make([]int16, leg.Band().Samples(delay))}
	leg.Record(e.pass)
	return e
}

// say adds what the far end says itself.
func (e *echo) say(pcm []int16) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.speech = append(e.speech, pcm...)
}

// speaks reports whether some of that was not sent.
func (e *echo) speaks() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.speech) > 0
}

// pass takes a frame of the other side and sends the next one of ours.
func (e *echo) pass(far, _ []int16) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.delayed = append(e.delayed, far...)
	out := make([]int16, len(far))
	e.speech = e.speech[copy(out, e.speech):]
	for i := range out {
		sum := float64(out[i]) + e.gain*float64(e.delayed[i])
		out[i] = int16(min(max(sum, math.MinInt16), math.MaxInt16))
	}
	e.delayed = e.delayed[len(out):]
	if e.leg.Queued() < time.Second { // a call on hold takes nothing
		e.leg.Play(out)
	}
}
