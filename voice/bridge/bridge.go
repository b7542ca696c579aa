// Package bridge joins two legs, so that who is on them talk to each other.
//
// It knows sound, keys and captions as they come from one leg, and what another leg takes. It must not know what carries a leg,
// how it came about, nor who talks on it.
package bridge

import (
	"time"

	"github.com/callwright/callwright/voice/audio"
)

// How much sound waits on the leg that it is passed on to. A frame that comes up to lead late is not missed, and what a stall on
// either side has piled up is gone at the next pause of the talk, at once where it is much: talk that is late by more than a
// fifth of a second has people talk at the same time.
const (
	lead  = 40 * time.Millisecond  // ahead of the first frame, and of the first one behind a gap
	ample = 100 * time.Millisecond // from which on quiet frames are left out
	most  = 200 * time.Millisecond // which begins anew
)

const quiet = -45.0 // dBFS, of a frame that nobody misses

// Leg is one that sound is passed on to. Its methods do not block.
type Leg interface {
	Band() audio.Band
	Play(pcm []int16)
	Flush() time.Duration
	Queued() time.Duration
	Caption(text string)
	SendDigits(digits string)
}

// Pipe passes on what one leg hears. One goroutine at a time uses it.
type Pipe struct {
	to      Leg
	convert *audio.Converter // nil: both have the same band
	pad     []int16          // the lead
}

// NewPipe returns a pipe from a leg of a band.
func NewPipe(from audio.Band, to Leg) *Pipe {
	p := &Pipe{to: to, pad: make([]int16, to.Band().Samples(lead))}
	if from != to.Band() {
		p.convert = audio.NewConverter(from, to.Band())
	}
	return p
}

// Pass passes on one thing that came. It takes its frame over.
func (p *Pipe) Pass(in audio.Incoming) {
	switch {
	case in.Frame != nil:
		p.sound(in.Frame)
	case in.Digit != 0:
		p.to.SendDigits(string(rune(in.Digit)))
	case in.Caption() != "":
		p.to.Caption(in.Caption())
	}
}

func (p *Pipe) sound(frame []int16) {
	switch queued := p.to.Queued(); {
	case queued == 0:
		p.to.Play(p.pad)
	case queued > most:
		p.to.Flush()
		p.to.Play(p.pad)
	case queued > ample && audio.Level(frame) < quiet:
		audio.GiveFrame(frame)
		return
	}
	if p.convert == nil {
		p.to.Play(frame)
		return
	}
	p.to.Play(p.convert.Push(make([]int16, 0, p.to.Band().FrameLen()), frame))
	audio.GiveFrame(frame)
}

// Source is a leg whose sound is passed on by Drain.
type Source interface {
	Band() audio.Band
	Incoming() <-chan audio.Incoming
	Notify(ready func())
}

// Drain passes on what comes from a leg, as it comes, in the goroutine that receives it, until the leg is over or stop is called.
// What waited before it began is stale: of that only keys and captions are passed on.
func Drain(from Source, to Leg) (stop func()) {
	pipe, incoming := NewPipe(from.Band(), to), from.Incoming()
	for range len(incoming) {
		if in, ok := <-incoming; ok && in.Frame != nil {
			audio.GiveFrame(in.Frame)
		} else if ok {
			pipe.Pass(in)
		}
	}
	from.Notify(func() {
		for {
			select {
			case in, ok := <-incoming:
				if !ok {
					return
				}
				pipe.Pass(in)
			default:
				return
			}
		}
	})
	return func() { from.Notify(func() {}) }
}
