package audio

import (
	"sync"
	"time"
)

// Band is how much of a voice is heard, which decides the sampling rate of its sound. The zero value is Narrow.
type Band uint8

// The bands of telephones.
const (
	Narrow Band = iota // up to 4 kHz, sampled at Rate: what a telephone network carries
	Wide               // up to 8 kHz, sampled at twice Rate: G.722
)

// factor is how many samples the band has for each one at Rate.
func (b Band) factor() int { return 1 << b }

// Rate returns the sampling rate in hertz.
func (b Band) Rate() int { return b.Scale(Rate) }

// FrameLen returns the number of samples in a frame, which lasts FrameDuration in every band.
func (b Band) FrameLen() int { return b.Scale(FrameLen) }

// Scale returns how many samples last as long as n at Rate.
func (b Band) Scale(n int) int { return n * b.factor() }

// Duration returns the playing time of n samples.
func (b Band) Duration(n int) time.Duration {
	return time.Duration(n) * time.Second / time.Duration(b.Rate())
}

// Samples returns the number of samples that play for d.
func (b Band) Samples(d time.Duration) int { return int(d * time.Duration(b.Rate()) / time.Second) }

// MaxFrameLen is the number of samples in a frame of the widest band.
const MaxFrameLen = 2 * FrameLen

// frames are those that were given back.
var (
	frames     = sync.Pool{New: func() any { return new([FrameLen]int16) }}
	wideFrames = sync.Pool{New: func() any { return new([MaxFrameLen]int16) }}
)

// CopyFrame returns a copy of a frame of any band.
func CopyFrame(frame []int16) []int16 {
	var own []int16
	if len(frame) == MaxFrameLen {
		own = wideFrames.Get().(*[MaxFrameLen]int16)[:]
	} else {
		own = frames.Get().(*[FrameLen]int16)[:]
	}
	copy(own, frame)
	return own
}

// GiveFrame takes back a copy of a frame that nobody uses any more. One that is not given back is garbage, and that of many calls
// makes the collector run at the time of their packets.
func GiveFrame(frame []int16) {
	switch len(frame) {
	case FrameLen:
		frames.Put((*[FrameLen]int16)(frame))
	case MaxFrameLen:
		wideFrames.Put((*[MaxFrameLen]int16)(frame))
	}
}

// Converter turns a stream of one band into another. It delays the stream by 3 ms and always gives as much as it took, so
// that frames stay frames. Between equal bands it does nothing.
type Converter struct{ resampler *Resampler }

// NewConverter returns a converter from one band to another.
func NewConverter(from, to Band) *Converter {
	if from == to {
		return &Converter{}
	}
	r := newResampler(to.factor(), from.factor())
	r.history = append(r.history, make([]int16, r.lookahead())...)
	return &Converter{r}
}

// Widen returns narrowband sound, which ends 3 ms early, in the band.
func (b Band) Widen(pcm []int16) []int16 { return NewConverter(Narrow, b).Push(nil, pcm) }

// Lag returns by how many samples of the wider band it delays the stream.
func (c *Converter) Lag() int {
	if c.resampler == nil {
		return 0
	}
	return c.resampler.lookahead() * max(c.resampler.up, c.resampler.down) / c.resampler.down
}

// Push appends the converted pcm to out. Its length has to be even where the rate is halved.
func (c *Converter) Push(out, pcm []int16) []int16 {
	if c.resampler == nil {
		return append(out, pcm...)
	}
	return c.resampler.Push(out, pcm)
}
