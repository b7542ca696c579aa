package echo

import (
	"sync"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/prefetch"
)

// What is looked at.
const (
	span       = 8192 // samples of what was played that are kept: delays up to 0.75 s are found
	window     = 2048 // samples of what arrives that are searched with
	coarseness = 4    // the search compares every fourth sample, averaged
)

// past is what was played and what arrived at the same times, the oldest overwritten. Samples are emphasised where they are
// looked at, which takes one sample before: the one that was overwritten last.
type past struct {
	*sound
	total  int   // samples added
	before byte  // in played, before the oldest
	early  int16 // in arrived, likewise
}

// sound is the samples. What was played is kept as it left, packed by G.711, so that it takes half the memory: the echo is one of
// that. What arrived is kept as it came, as what is left of it is heard.
type sound struct {
	played  [span]byte
	arrived [window]int16
}

// law is that of played. A far end that speaks the other one hears noise of 38 dB less beside.
const law = audio.Mu

// silence is the code of no sound.
var silence = law.Encode(nil, make([]int16, 1))[0]

// scratch is the memory for a look at the past, too large for the stack of every call.
type scratch struct {
	played, arrived [window + tapCount]float32
	echo, leftover  [window]float32
	all             [span]float32
	coarsePlayed    [span / coarseness]float32
	coarseArrived   [window / coarseness]float32
	alike           [(span - window) / coarseness]float32

	found                filter
	like, alone          [tapCount]float32
	taps, errors, mirror [tapCount]float64
}

// A call needs a past only while its own voice may come back, and work for some microseconds.
var (
	pasts     = sync.Pool{New: func() any { return &past{sound: new(sound)} }}
	scratches = sync.Pool{New: func() any { return new(scratch) }}
)

// forget empties it.
func (p *past) forget() {
	*p = past{sound: p.sound, before: silence}
	for i := range p.played {
		p.played[i] = silence
	}
	clear(p.arrived[:])
}

// add moves on by a frame.
func (p *past) add(frame, played []int16) {
	var room [audio.FrameLen]byte
	p.before = overwrite(p.played[:], p.total, law.Encode(room[:0], played))
	p.early = overwrite(p.arrived[:], p.total, frame)
	p.total += audio.FrameLen
}

// prefetch fetches what add overwrites.
func (p *past) prefetch() {
	prefetchRing(p.played[:], p.total)
	prefetchRing(p.arrived[:], p.total)
}

func prefetchRing[T any](ring []T, total int) {
	at := total % len(ring)
	prefetch.Slice(ring[at:min(at+audio.FrameLen, len(ring))])
}

// overwrite writes a frame into a ring, to which so many samples were added before, and returns the last sample that it took the
// place of.
func overwrite[T any](ring []T, total int, frame []T) (last T) {
	at := total % len(ring)
	last = ring[(at+len(frame)-1)%len(ring)]
	copy(ring, frame[copy(ring[at:], frame):])
	return last
}

// emphasisePlayed writes, emphasised, what was played until so many samples ago.
func (p *past) emphasisePlayed(out []float32, ago int) {
	var room [audio.FrameLen]int16
	from, before := span-ago-len(out), p.before
	if from > 0 {
		before = p.played[(p.total+from-1)%span]
	}
	last := law.Decode(room[:0], []byte{before})[0]
	for len(out) > 0 {
		at := (p.total + from) % span
		n := min(len(out), audio.FrameLen, span-at)
		pcm := law.Decode(room[:0], p.played[at:at+n])
		emphasise(out[:n], last, pcm)
		out, from, last = out[n:], from+n, pcm[n-1]
	}
}

// emphasiseArrived writes, emphasised, what arrived last.
func (p *past) emphasiseArrived(out []float32) {
	before, from := p.early, window-len(out)
	if from > 0 {
		before = p.arrived[(p.total+from-1)%window]
	}
	at := (p.total + from) % window
	n := min(len(out), window-at)
	emphasise(out[:n], before, p.arrived[at:])
	emphasise(out[n:], p.arrived[window-1], p.arrived[:])
}

// likeliest returns the delay at which what arrived is most like what was played.
func (p *past) likeliest(w *scratch) (lag int, ok bool) {
	played, arrived := w.coarsePlayed[:], w.coarseArrived[:]
	p.emphasisePlayed(w.all[:], 0)
	coarse(played, w.all[:])
	p.emphasiseArrived(w.all[:window])
	coarse(arrived, w.all[:window])
	audio.Correlate(w.alike[:], played[1:], arrived) // the last one is no delay at all
	all := energy(arrived)
	var best float32
	last := len(w.alike)
	loud := energy(played[last:])
	for d := range maxLag / coarseness {
		likeness := w.alike[last-1-d]
		if likeness = likeness * likeness / (loud + 1); likeness > best && loud > 1 {
			best, lag = likeness, d*coarseness
		}
		in, out := played[last-d-1], played[last-d+len(arrived)-1]
		loud += in*in - out*out
	}
	return lag, best > minLikeness*minLikeness*all && all > 0
}

func energy(pcm []float32) (sum float32) {
	for _, v := range pcm {
		sum += v * v
	}
	return sum
}

// coarse averages samples, so that fewer have to be compared.
func coarse(out, pcm []float32) {
	for i := range out {
		four := pcm[i*coarseness:][:coarseness]
		out[i] = (four[0] + four[1] + four[2] + four[3]) / coarseness
	}
}
