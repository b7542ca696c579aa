// Package pcm turns the sound formats of speech providers into the one the product
// speaks, 16-bit mono samples at 8 kHz, and back.
//
// It knows sampling rates, WAV headers and byte order. It must not know providers or
// telephony: it computes on readers and slices.
package pcm

import (
	"fmt"
	"math"
)

const (
	// Rate is the sampling rate of everything that leaves this package, in hertz.
	Rate    = 8000
	maxRate = 192_000

	cutoff    = 3700.0 // hertz, where the filter has lost half; telephones end at 3400
	lobes     = 24     // zero crossings of the filter on either side
	kaiser    = 8.0    // shape of its window: about 80 dB of stop band
	rateGuard = "sampling rate %d Hz is not between %d and %d"
)

// Resampler turns a stream of samples of a higher rate into one of Rate, with a low-pass
// filter before samples are dropped. It delays by about 3 ms. Not for concurrent use.
type Resampler struct {
	step    int         // input rate over gcd(input rate, Rate)
	phases  int         // Rate over the same: as many positions between two inputs exist
	half    int         // inputs that one output needs on either side
	filters [][]float32 // one for each phase
	pending []float32   // inputs still needed
	centre  int         // index in pending of the input at or before the next output
	phase   int         // where between it and its successor the next output lies
}

// NewResampler is for streams of rate hertz, Rate to 192 kHz.
func NewResampler(rate int) (*Resampler, error) {
	if rate < Rate || rate > maxRate {
		return nil, fmt.Errorf(rateGuard, rate, Rate, maxRate)
	}
	common := gcd(rate, Rate)
	r := &Resampler{step: rate / common, phases: Rate / common}
	if rate == Rate {
		return r, nil
	}
	r.half = int(math.Ceil(lobes / (2 * cutoff) * float64(rate)))
	for phase := range r.phases {
		r.filters = append(r.filters, filter(rate, r.half, float64(phase)/float64(r.phases)))
	}
	r.pending = make([]float32, r.half) // silence before the first sample
	r.centre = r.half
	return r, nil
}

// Write takes the next samples and gives those that can be computed, in a new slice.
func (r *Resampler) Write(in []int16) []int16 {
	if r.half == 0 {
		return append([]int16(nil), in...)
	}
	for _, sample := range in {
		r.pending = append(r.pending, float32(sample))
	}
	var out []int16
	for r.centre+r.half < len(r.pending) {
		out = append(out, r.at())
		r.phase += r.step
		r.centre += r.phase / r.phases
		r.phase %= r.phases
	}
	if first := min(r.centre-r.half, len(r.pending)); first > 0 {
		r.pending = append(r.pending[:0], r.pending[first:]...)
		r.centre -= first
	}
	return out
}

// Flush gives what the filter still holds, as if silence followed. The stream is over.
func (r *Resampler) Flush() []int16 {
	if r.half == 0 {
		return nil
	}
	return r.Write(make([]int16, r.half))
}

// at computes the output between pending[centre] and its successor.
func (r *Resampler) at() int16 {
	taps := r.filters[r.phase]
	window := r.pending[r.centre-r.half+1 : r.centre+r.half+1]
	var sum float32
	for i, sample := range window {
		sum += sample * taps[i]
	}
	return int16(max(math.MinInt16, min(math.MaxInt16, math.RoundToEven(float64(sum)))))
}

// filter is a windowed sinc around the point offset (0 to 1) behind the input at index
// half-1; its taps sum to one.
func filter(rate, half int, offset float64) []float32 {
	taps := make([]float64, 2*half)
	var sum float64
	for i := range taps {
		distance := float64(i-half+1) - offset
		x := 2 * cutoff / float64(rate) * distance
		taps[i] = sinc(x) * window(distance/float64(half))
		sum += taps[i]
	}
	out := make([]float32, len(taps))
	for i, tap := range taps {
		out[i] = float32(tap / sum)
	}
	return out
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// window is Kaiser's, for x from -1 to 1.
func window(x float64) float64 {
	if math.Abs(x) >= 1 {
		return 0
	}
	return bessel(kaiser*math.Sqrt(1-x*x)) / bessel(kaiser)
}

// bessel is the modified Bessel function of the first kind and order zero.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-12; k++ {
		term *= (x / 2 / k) * (x / 2 / k)
		sum += term
	}
	return sum
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
