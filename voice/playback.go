package voice

import (
	"time"

	"github.com/callwright/callwright/voice/audio"
)

// playback follows what is handed to a leg: how much of it the far end has heard, and what may come back as its echo. Positions
// count samples handed to the leg since the call began.
type playback struct {
	leg  Leg
	band audio.Band // of leg

	queuedTo int64     // samples handed to the leg and not taken back
	seen     int64     // the last position
	seenAt   time.Time // and when that was

	reference   audio.Clip // what was handed to the leg and not read by readReference yet
	referenceAt int64      // position of its first sample
}

// position returns how far the far end has heard: what was handed to the leg and is not queued there. It never runs ahead of
// the clock, because a leg that is over has nothing queued either.
func (p *playback) position() int64 {
	now, at := time.Now(), p.queuedTo-int64(p.band.Samples(p.leg.Queued()))
	passed := p.band.Samples(now.Sub(p.seenAt))
	if limit := p.seen + int64(passed); at > limit {
		p.seen, p.seenAt = limit, p.seenAt.Add(p.band.Duration(passed)) // no fraction of a sample is lost
		return p.seen
	}
	p.seen, p.seenAt = max(p.seen, at), now
	return p.seen
}

// hand hands sound to the leg.
func (p *playback) hand(pcm []int16) {
	p.position() // the clock of what was silence until now
	p.leg.Play(pcm)
	p.queuedTo += int64(len(pcm))
	p.reference.Append(pcm)
}

// takeBack takes what was not sent from the leg, and returns how much that was.
func (p *playback) takeBack() time.Duration {
	back := p.leg.Flush()
	p.queuedTo -= int64(p.band.Samples(back))
	p.referenceAt = min(p.referenceAt, p.queuedTo)
	p.reference.Cut(int(p.queuedTo - p.referenceAt))
	return back
}

// readReference writes the next frame of what is being played, silence where that is nothing, for echo suppression. It keeps
// a steady pace, which the position, read between two ticks of the leg, does not. What waits behind the frame that it goes
// with came later, and goes with what is played later: a busy machine reads many frames at once.
func (p *playback) readReference(frame []int16) {
	if p.reference.Len() == 0 {
		clear(frame)
		return
	}
	frameLen := int64(len(frame))
	at := p.position() - int64(len(p.leg.Incoming()))*frameLen
	if lost := min(at-p.referenceAt, int64(p.reference.Len())); lost > 2*frameLen {
		p.reference.Skip(int(lost))
		p.referenceAt += lost
	}
	clear(frame)
	if p.referenceAt > at+2*frameLen { // the leg stands still
		return
	}
	p.referenceAt += int64(p.reference.Read(frame))
}
