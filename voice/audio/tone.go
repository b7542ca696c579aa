package audio

import (
	"math"
	"time"
)

const (
	fade      = 5 * time.Millisecond // a tone that starts at full level clicks
	digitTime = 100 * time.Millisecond
	digitGap  = 60 * time.Millisecond
	beepHz    = 1000
)

// Tone is d of the given frequencies in hertz, mixed to level dBFS each and faded in and out.
func Tone(d time.Duration, level float64, freqs ...float64) []int16 {
	pcm := make([]int16, Samples(d))
	amplitude := math.Pow(10, level/20) * math.Sqrt2 * math.MaxInt16
	ramp := min(Samples(fade), len(pcm)/2)
	for i := range pcm {
		var v float64
		for _, f := range freqs {
			v += math.Sin(2 * math.Pi * f * float64(i) / Rate)
		}
		v *= amplitude
		if edge := min(i, len(pcm)-1-i); edge < ramp {
			v *= float64(edge) / float64(ramp)
		}
		pcm[i] = Clamp(v)
	}
	return pcm
}

// Beep returns the tone after which a caller may speak to a voicemail.
func Beep(d time.Duration) []int16 {
	return Tone(d, -13, beepHz)
}

// Keys returns the sound of digits pressed one after the other; characters that are no keys are skipped.
func Keys(digits string) []int16 {
	var pcm []int16
	for _, digit := range []byte(digits) {
		low, high, ok := keyTones(digit)
		if !ok {
			continue
		}
		pcm = append(pcm, Tone(digitTime, -13, low, high)...)
		pcm = append(pcm, make([]int16, Samples(digitGap))...)
	}
	return pcm
}

// Clamp returns the sample next to v, the loudest one where v is louder than a sample can be.
func Clamp(v float64) int16 {
	return int16(min(max(math.Round(v), math.MinInt16), math.MaxInt16))
}
