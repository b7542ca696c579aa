package voice

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/callwright/callwright/voice/audio"
)

const (
	officeLength = 12 * time.Second
	officeLevel  = -24.0 // dBFS, before the gain of a background
)

// OfficeSound returns a quiet office without voices, to be played in a loop: ventilation, some typing, paper, a step now and
// then. It is the same every time. It is computed because assistants may ask for an office and no recording of one is at
// hand under a licence that lets it be shipped: the sound packages of Debian have prompts, music and signals.
func OfficeSound() []int16 {
	random := rand.New(rand.NewPCG(19, 81))
	mix := ventilation(audio.Samples(officeLength), random)
	for range 9 {
		typing(mix, random)
	}
	for range 4 {
		rustle(mix, random, 300*time.Millisecond, 0.35, 0.9) // paper
	}
	for range 6 {
		rustle(mix, random, 60*time.Millisecond, 0.06, 2.5) // a step
	}
	var energy float64
	for _, v := range mix {
		energy += v * v
	}
	factor := audio.Gain(officeLevel) * math.MaxInt16 / math.Sqrt(energy/float64(len(mix)))
	out := make([]int16, len(mix))
	for i, v := range mix {
		out[i] = audio.Clamp(v * factor)
	}
	return out
}

// ventilation returns noise with its treble taken away. The filter goes round twice, so that the end meets the beginning.
func ventilation(samples int, random *rand.Rand) []float64 {
	noise, out := make([]float64, samples), make([]float64, samples)
	for i := range noise {
		noise[i] = random.NormFloat64()
	}
	var low, lower float64
	for range 2 {
		for i, v := range noise {
			low += 0.25 * (v - low)
			lower += 0.12 * (low - lower)
			out[i] = 3 * lower
		}
	}
	return out
}

// typing adds a burst of keystrokes somewhere.
func typing(mix []float64, random *rand.Rand) {
	at := random.IntN(len(mix))
	for range 3 + random.IntN(9) {
		at += audio.Samples(time.Duration(90+random.IntN(140)) * time.Millisecond)
		loud := 0.4 + 0.5*random.Float64()
		for i := range audio.Samples(12 * time.Millisecond) {
			mix[(at+i)%len(mix)] += loud * random.NormFloat64() * math.Exp(-float64(i)/18)
		}
	}
}

// rustle adds noise that swells and fades somewhere; bright lets more treble through.
func rustle(mix []float64, random *rand.Rand, d time.Duration, bright, loud float64) {
	at, n := random.IntN(len(mix)), audio.Samples(d)
	var low float64
	for i := range n {
		low += bright * (random.NormFloat64() - low)
		swell := math.Sin(math.Pi * float64(i) / float64(n))
		mix[(at+i)%len(mix)] += loud * swell * swell * low
	}
}
