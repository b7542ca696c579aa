package echo

import "github.com/callwright/callwright/voice/audio"

// calmed returns the energy of emphasised sound without the emphasis.
func calmed(pcm []float32) float64 {
	var last, sum float32
	for _, v := range pcm {
		last = v + emphasised*last
		sum += last * last
	}
	return float64(sum)
}

// power returns the energy per sample.
func power(pcm []int16) float64 {
	sum := 0 // integers add up four times as fast
	for _, v := range pcm {
		sum += int(v) * int(v)
	}
	return float64(sum) / float64(len(pcm))
}

// emphasised is how much of the last sample is taken off each: that evens out the spectrum of speech, of which otherwise the
// low tones decide alone.
const emphasised = 0.9

// emphasise writes samples emphasised; before is the one before the first.
func emphasise(out []float32, before int16, pcm []int16) {
	last := float32(before)
	for i, v := range pcm[:len(out)] {
		out[i] = float32(v) - emphasised*last
		last = float32(v)
	}
}

// deemphasis takes the emphasis back. It is the last sample.
type deemphasis float32

// undo writes emphasised sound without the emphasis.
func (d *deemphasis) undo(out []int16, pcm []float32) {
	last := float32(*d)
	for i, v := range pcm {
		last = v + emphasised*last
		out[i] = audio.Clamp(float64(last))
	}
	*d = deemphasis(last)
}
