package voice

import (
	"math"
	"slices"
	"time"

	"github.com/callwright/callwright/voice/audio"
)

// DefaultBackgroundGain puts a background well below speech, in decibels.
const DefaultBackgroundGain = -26.0

// How much of the background alone is kept queued on the leg: enough for a late goroutine, and little to take back when
// speech begins.
const (
	backgroundLow  = 60 * time.Millisecond
	backgroundHigh = 160 * time.Millisecond
	backgroundKeep = 400 * time.Millisecond // of what was handed over last, to hand it over again
)

// backgroundLeg is a leg on which a sound lies under all that is played, and goes on when nothing is. Nothing else changes:
// speech begins when it would without it, its samples are never cut, and what the leg says of its queue is about speech. Its
// methods belong to the goroutine that owns the call.
type backgroundLeg struct {
	Leg
	band  audio.Band
	sound []int16 // looped; shared with other calls
	gain  float64 // factor
	at    int     // its next sample, in the leg's band
	tail  int     // samples at the end of the queue that are background alone
	last  []int16 // the end of what was handed over
}

func newBackgroundLeg(leg Leg, b Background) *backgroundLeg {
	return &backgroundLeg{Leg: leg, band: leg.Band(), sound: b.Sound, gain: audio.Gain(b.Gain)}
}

// under returns the next sample of the background.
func (b *backgroundLeg) under() int {
	v := audio.Clamp(b.sample() * b.gain)
	b.at = (b.at + 1) % b.length()
	return int(v)
}

func (b *backgroundLeg) length() int { return b.band.Scale(len(b.sound)) }

// between is what the samples on both sides of the middle of two weigh in it: the polynomial through eight of them.
var between = [4]float64{1225. / 2048, -245. / 2048, 49. / 2048, -5. / 2048}

// sample returns the next sample at its own level. A wideband leg has one in the middle of any two.
func (b *backgroundLeg) sample() float64 {
	n, at := len(b.sound), b.at/b.band.Scale(1)
	if b.at%b.band.Scale(1) == 0 {
		return float64(b.sound[at])
	}
	var v float64
	for i, weight := range between {
		v += weight * (float64(b.sound[((at-i)%n+n)%n]) + float64(b.sound[(at+1+i)%n]))
	}
	return v
}

// Play appends speech, in place of background that waits to be sent.
func (b *backgroundLeg) Play(pcm []int16) {
	if b.waiting() > 0 {
		b.takeBack()
	}
	b.hand(pcm)
}

// Flush drops speech that was not sent yet and returns how much that was.
func (b *backgroundLeg) Flush() time.Duration {
	b.waiting()
	queued := b.band.Samples(b.Leg.Flush())
	speech := max(queued-b.tail, 0)
	b.rewind(queued)
	b.tail = 0
	b.advance()
	return b.band.Duration(speech)
}

// Queued returns how much speech was not sent yet.
func (b *backgroundLeg) Queued() time.Duration {
	return max(b.Leg.Queued()-b.band.Duration(b.waiting()), 0)
}

// advance keeps the leg supplied.
func (b *backgroundLeg) advance() {
	queued := b.Leg.Queued()
	if queued >= backgroundLow {
		return
	}
	n := b.band.Samples(backgroundHigh - queued)
	b.hand(make([]int16, n))
	b.tail += n
}

// silence forgets what waits to be sent, all of which somebody else takes from the leg.
func (b *backgroundLeg) silence() { b.tail, b.last = 0, b.last[:0] }

// next returns when advance will be needed.
func (b *backgroundLeg) next() time.Duration { return max(b.Leg.Queued()-backgroundLow, 0) + minWait }

// waiting returns how much background alone is at the end of the queue.
func (b *backgroundLeg) waiting() int {
	b.tail = min(b.tail, b.band.Samples(b.Leg.Queued()))
	return b.tail
}

// takeBack removes the background at the end of the queue. The leg can only drop all, so the speech before it, a few frames
// at most, is handed over again.
func (b *backgroundLeg) takeBack() {
	queued := b.band.Samples(b.Leg.Flush())
	tail := min(b.tail, queued)
	b.tail = 0
	b.rewind(tail)
	if speech := queued - tail; speech > 0 {
		end := len(b.last) - tail
		b.Leg.Play(slices.Clone(b.last[max(end-speech, 0):end]))
	}
	b.last = b.last[:len(b.last)-tail]
}

// rewind goes back in the background.
func (b *backgroundLeg) rewind(samples int) {
	b.at = ((b.at-samples)%b.length() + b.length()) % b.length()
}

// hand passes speech on with the background under it. Where both together are too loud, the background is.
func (b *backgroundLeg) hand(speech []int16) {
	mixed := make([]int16, len(speech))
	for i, v := range speech {
		mixed[i] = int16(min(max(int(v)+b.under(), math.MinInt16), math.MaxInt16))
	}
	b.Leg.Play(mixed)
	b.last = append(b.last, mixed...)
	if over := len(b.last) - b.band.Samples(backgroundKeep); over > 0 {
		b.last = append(b.last[:0], b.last[over:]...)
	}
}
