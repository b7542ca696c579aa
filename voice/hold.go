package voice

import (
	"math"
	"sync"
	"time"

	"github.com/callwright/callwright/voice/audio"
)

const (
	ringLevel = -22.0 // dBFS
	holdLevel = -26.0 // dBFS
	noteEvery = 400 * time.Millisecond
)

// Ringback returns what European networks have callers hear while a telephone rings, to be played in a loop: 425 Hz for a second,
// and four of silence.
var Ringback = sync.OnceValue(func() []int16 {
	return append(audio.Tone(time.Second, ringLevel, 425), make([]int16, audio.Samples(4*time.Second))...)
})

// HoldMusic returns quiet plucked chords, to be played in a loop. It is the same every time, and computed for the reason that
// OfficeSound is.
var HoldMusic = sync.OnceValue(func() []int16 {
	chords := [][]float64{ // C, a, F and G, each with its octave
		{261.63, 329.63, 392.00, 523.25}, {220.00, 261.63, 329.63, 440.00}, {174.61, 220.00, 261.63, 349.23},
		{196.00, 246.94, 293.66, 392.00},
	}
	order := []int{0, 1, 2, 3, 2, 1}
	mix := make([]float64, audio.Samples(noteEvery*time.Duration(len(chords)*len(order))))
	for i := range len(chords) * len(order) {
		pluck(mix, i*audio.Samples(noteEvery), chords[i/len(order)][order[i%len(order)]])
	}
	var energy float64
	for _, v := range mix {
		energy += v * v
	}
	factor := audio.Gain(holdLevel) * math.MaxInt16 / math.Sqrt(energy/float64(len(mix)))
	out := make([]int16, len(mix))
	for i, v := range mix {
		out[i] = audio.Clamp(v * factor)
	}
	return out
})

// pluck adds a note that fades. Its end goes round to the beginning.
func pluck(mix []float64, at int, frequency float64) {
	for i := range audio.Samples(1500 * time.Millisecond) {
		t := float64(i) / audio.Rate
		swell := min(1, t/0.01) * math.Exp(-3*t)
		note := math.Sin(2*math.Pi*frequency*t) + 0.3*math.Sin(4*math.Pi*frequency*t)*math.Exp(-3*t)
		mix[(at+i)%len(mix)] += swell * note
	}
}
