package echo

import (
	"sync"

	"github.com/callwright/callwright/voice/audio"
)

// What is looked at.
const (
	span       = 8192               // samples of what was played that are kept: delays up to 0.75 s are found
	window     = 2048               // samples of what arrives that are searched with
	margin     = 4 * audio.FrameLen // for new samples, before the old ones are moved
	coarseness = 4                  // the search compares every fourth sample, averaged
)

// past is what was played and what arrived at the same times, with one sample before. Samples are kept as they came
// and emphasised where they are looked at: that takes a third of the memory.
type past struct {
	played  [1 + span + margin]int16
	arrived [1 + window + margin]int16
	moved   int // where they begin
}

// scratch is the memory for a look at the past, too large for the stack of every call.
type scratch struct {
	played, arrived [window + tapCount]float32
	echo, leftover  [window]float32
	coarsePlayed    [span / coarseness]float32
	coarseArrived   [window / coarseness]float32
	alike           [(span - window) / coarseness]float32

	found                filter
	like, alone          [tapCount]float32
	taps, errors, mirror [tapCount]float64
}

// A call needs a past only while its own voice may come back, and work for some microseconds.
var (
	pasts     = sync.Pool{New: func() any { return new(past) }}
	scratches = sync.Pool{New: func() any { return new(scratch) }}
)

// add moves on by a frame.
func (p *past) add(frame, played []int16) {
	if p.moved == margin {
		copy(p.played[:], p.played[margin:])
		copy(p.arrived[:], p.arrived[margin:])
		p.moved = 0
	}
	p.moved += audio.FrameLen
	copy(p.played[1+span+p.moved-audio.FrameLen:], played)
	copy(p.arrived[1+window+p.moved-audio.FrameLen:], frame)
}

// latest writes what arrived last.
func (p *past) latest(out []float32) {
	emphasise(out, p.arrived[p.moved+window-len(out):][:1+len(out)])
}

// likeliest returns the delay at which what arrived is most like what was played.
func (p *past) likeliest(w *scratch) (lag int, ok bool) {
	played, arrived := w.coarsePlayed[:], w.coarseArrived[:]
	coarse(played, p.played[p.moved:])
	coarse(arrived, p.arrived[p.moved:])
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

// coarse averages emphasised samples, so that fewer have to be compared.
func coarse(out []float32, pcm []int16) {
	for i := range out {
		var four [coarseness]float32
		emphasise(four[:], pcm[i*coarseness:][:1+coarseness])
		out[i] = (four[0] + four[1] + four[2] + four[3]) / coarseness
	}
}
