package audio

import "math"

// Silence is the level reported for a signal without any energy, in dBFS.
const Silence = -96.0

// Level returns the root-mean-square level of pcm in dBFS: 0 is a full-scale square wave, Silence is nothing at all.
func Level(pcm []int16) float64 {
	energy := energyOf(pcm)
	if energy == 0 {
		return Silence
	}
	rms := math.Sqrt(energy/float64(len(pcm))) / math.MaxInt16
	return max(20*math.Log10(rms), Silence)
}

// Purity returns how much of the energy of pcm lies at freq hertz: 1 for a pure tone, about 0 for anything else.
// It is meant for blocks of a few hundred samples; shorter ones blur neighbouring frequencies.
func Purity(pcm []int16, freq float64) float64 {
	energy := energyOf(pcm)
	if energy == 0 {
		return 0
	}
	return 2 * goertzel(pcm, freq) / (energy * float64(len(pcm)))
}

func energyOf(pcm []int16) float64 {
	var sum int64 // integers add up four times as fast
	for _, s := range pcm {
		sum += int64(s) * int64(s)
	}
	return float64(sum)
}

// goertzel returns the squared magnitude of one bin of the Fourier transform of pcm, for any frequency in hertz.
func goertzel(pcm []int16, freq float64) float64 {
	c := 2 * math.Cos(2*math.Pi*freq/Rate)
	var s1, s2 float64
	for _, sample := range pcm {
		s1, s2 = float64(sample)+c*s1-s2, s1
	}
	return s1*s1 + s2*s2 - c*s1*s2
}

// Gain returns the factor by which a gain in decibels multiplies samples.
func Gain(decibels float64) float64 { return math.Pow(10, decibels/20) }
