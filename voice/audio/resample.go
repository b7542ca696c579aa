package audio

import (
	"fmt"
	"math"
)

const (
	zeroCrossings = 24    // of the filter, on each side: 48 taps at the lower rate
	passband      = 0.925 // of the lower rate's Nyquist frequency, where the filter has lost half
	kaiserBeta    = 8.0   // about 80 dB of stopband attenuation
)

// Resampler turns a stream of mono samples of one rate into another, with a low-pass filter at the lower of the two
// Nyquist frequencies. It keeps the tail of the stream between calls, so a stream may be pushed in pieces of any size.
type Resampler struct {
	up, down int         // rates divided by their greatest common divisor
	phases   [][]float32 // one filter for each position of an output sample between two input samples
	history  []int16     // input not yet used up, starting with the samples the filter still looks back at
	next     int         // position of the next output sample, in 1/up input samples from history's start
}

// NewResampler returns a resampler from one rate in hertz to another.
func NewResampler(from, to int) (*Resampler, error) {
	if from <= 0 || to <= 0 || from > 384000 || to > 384000 {
		return nil, fmt.Errorf("resample from %d to %d Hz: not a sampling rate", from, to)
	}
	divisor := gcd(from, to)
	return newResampler(to/divisor, from/divisor), nil
}

func newResampler(up, down int) *Resampler {
	r := &Resampler{up: up, down: down}
	if r.up != r.down {
		r.phases = designFilter(r.up, r.down)
		r.history = make([]int16, len(r.phases[0])/2)
	}
	return r
}

// lookahead returns how many samples behind its own an output needs.
func (r *Resampler) lookahead() int { return len(r.phases[0])/2 - 1 }

// Push appends the resampled pcm to out. The output lags the input by the filter's look-ahead, which Flush delivers.
func (r *Resampler) Push(out, pcm []int16) []int16 {
	if r.phases == nil {
		return append(out, pcm...)
	}
	r.history = append(r.history, pcm...)
	taps := len(r.phases[0])
	for {
		start := r.next / r.up
		if start+taps > len(r.history) {
			break
		}
		out = append(out, convolve(r.history[start:start+taps], r.phases[r.next%r.up]))
		r.next += r.down
	}
	used := min(r.next/r.up, len(r.history))
	r.history = r.history[:copy(r.history, r.history[used:])]
	r.next -= used * r.up
	return out
}

// Flush ends the stream: it appends the samples that were waiting for a look-ahead.
func (r *Resampler) Flush(out []int16) []int16 {
	if r.phases == nil {
		return out
	}
	return r.Push(out, make([]int16, r.lookahead()))
}

// Resample converts a whole recording from one rate in hertz to another.
func Resample(pcm []int16, from, to int) ([]int16, error) {
	r, err := NewResampler(from, to)
	if err != nil {
		return nil, err
	}
	out := make([]int16, 0, len(pcm)*r.up/r.down+1)
	return r.Flush(r.Push(out, pcm)), nil
}

func convolve(samples []int16, filter []float32) int16 {
	var sum float32
	for i, c := range filter {
		sum += c * float32(samples[i])
	}
	return Clamp(float64(sum))
}

// designFilter samples one windowed sinc at up offsets. Filter p serves outputs that lie p/up after an input sample.
func designFilter(up, down int) [][]float32 {
	cutoff := passband * min(1, float64(up)/float64(down)) // of the input's Nyquist frequency
	half := int(math.Ceil(zeroCrossings / cutoff))
	phases := make([][]float32, up)
	for p := range phases {
		phases[p] = make([]float32, 2*half)
		var sum float64
		taps := make([]float64, 2*half)
		for i := range taps {
			x := float64(i-half) - float64(p)/float64(up)
			taps[i] = cutoff * sinc(cutoff*x) * kaiser(x/float64(half))
			sum += taps[i]
		}
		for i, c := range taps { // every phase has the same gain at 0 Hz, else a constant input would hum
			phases[p][i] = float32(c / sum)
		}
	}
	return phases
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// kaiser returns the Kaiser window for x from -1 to 1.
func kaiser(x float64) float64 {
	if x < -1 || x > 1 {
		return 0
	}
	return bessel0(kaiserBeta*math.Sqrt(1-x*x)) / bessel0(kaiserBeta)
}

// bessel0 returns the modified Bessel function of the first kind and order zero, by its power series.
func bessel0(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > 1e-12*sum; k++ {
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
