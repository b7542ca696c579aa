package voice

import (
	"sync"

	"github.com/callwright/callwright/voice/audio"
)

// echoPast is what was played and what arrived at the same moments, with one sample before. Samples are kept as they came
// and emphasised where they are looked at: that takes a third of the memory.
type echoPast struct {
	played  [1 + echoSpan + echoRoom]int16
	arrived [1 + echoWindow + echoRoom]int16
	moved   int // where they begin
}

// echoWork is the room for a look at the past, too large for the stack of every call.
type echoWork struct {
	played, arrived [echoWindow + echoTaps]float32
	echo, leftover  [echoWindow]float32
	coarsePlayed    [echoSpan / echoCoarse]float32
	coarseArrived   [echoWindow / echoCoarse]float32
	alike           [(echoSpan - echoWindow) / echoCoarse]float32

	found                echoFilter
	like, alone          [echoTaps]float32
	taps, errors, mirror [echoTaps]float64
}

// A call needs a past only while its own voice may come back, and work for some microseconds.
var (
	echoPasts = sync.Pool{New: func() any { return new(echoPast) }}
	echoWorks = sync.Pool{New: func() any { return new(echoWork) }}
)

// add moves on by a frame.
func (p *echoPast) add(frame, played []int16) {
	if p.moved == echoRoom {
		copy(p.played[:], p.played[echoRoom:])
		copy(p.arrived[:], p.arrived[echoRoom:])
		p.moved = 0
	}
	p.moved += audio.FrameLen
	copy(p.played[1+echoSpan+p.moved-audio.FrameLen:], played)
	copy(p.arrived[1+echoWindow+p.moved-audio.FrameLen:], frame)
}

// here writes what arrived last.
func (p *echoPast) here(out []float32) {
	raise(out, p.arrived[p.moved+echoWindow-len(out):][:1+len(out)])
}

// likeliest is the delay at which what arrived is most like what was played.
func (p *echoPast) likeliest(w *echoWork) (lag int, ok bool) {
	played, arrived := w.coarsePlayed[:], w.coarseArrived[:]
	coarse(played, p.played[p.moved:])
	coarse(arrived, p.arrived[p.moved:])
	audio.Correlate(w.alike[:], played[1:], arrived) // the last one is no delay at all
	all := energy(arrived)
	var best float32
	last := len(w.alike)
	loud := energy(played[last:])
	for d := range echoFarthest / echoCoarse {
		likeness := w.alike[last-1-d]
		if likeness = likeness * likeness / (loud + 1); likeness > best && loud > 1 {
			best, lag = likeness, d*echoCoarse
		}
		in, out := played[last-d-1], played[last-d+len(arrived)-1]
		loud += in*in - out*out
	}
	return lag, best > echoAlike*echoAlike*all && all > 0
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
		var four [echoCoarse]float32
		raise(four[:], pcm[i*echoCoarse:][:1+echoCoarse])
		out[i] = (four[0] + four[1] + four[2] + four[3]) / echoCoarse
	}
}
