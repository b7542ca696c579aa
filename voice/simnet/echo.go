package simnet

import (
	"math"
	"time"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/sip"
)

// echoQueue is how much sound an echoing telephone keeps queued, so that its line never
// runs dry between two frames.
const echoQueue = 2 * audio.FrameDuration

// echo is a telephone whose microphone hears its loudspeaker. It sends a frame for each one
// that it receives.
type echo struct {
	gain    float64
	delayed []int16 // what was received and has not come back yet
	speech  []int16 // of the far end itself
	started bool
}

// newEcho counts the queue as a part of the delay.
func newEcho(step Step) *echo {
	delay := max(step.Echo-echoQueue, 0)
	return &echo{gain: math.Pow(10, step.Gain/20), delayed: make([]int16, audio.Samples(delay))}
}

// say adds what the far end says itself.
func (e *echo) say(pcm []int16) { e.speech = append(e.speech, pcm...) }

// pass takes a frame of the other side and sends the next one of ours.
func (e *echo) pass(leg *sip.Leg, frame []int16) {
	if !e.started {
		leg.Play(make([]int16, audio.Samples(echoQueue)))
		e.started = true
	}
	e.delayed = append(e.delayed, frame...)
	out := make([]int16, audio.FrameLen)
	e.speech = e.speech[copy(out, e.speech):]
	for i := range out {
		sum := float64(out[i]) + e.gain*float64(e.delayed[i])
		out[i] = int16(min(max(sum, math.MinInt16), math.MaxInt16))
	}
	e.delayed = e.delayed[audio.FrameLen:]
	if leg.Queued() < time.Second { // a line on hold takes nothing
		leg.Play(out)
	}
}
