// Package tones hears what no person sounds like: the beep behind the announcement of an answering machine, and a fax.
//
// It knows frames of 8 kHz sound. It must not know calls, turns, or what is done about a tone.
package tones

import (
	"math"
	"time"

	"github.com/callwright/callwright/voice/audio"
)

// What counts as the beep of an answering machine: one steady tone of some length.
const (
	beepLowest   = 380.0  // hertz
	beepHighest  = 2000.0 // a fax answers at 2100
	beepDrift    = 40.0   // hertz between two frames
	beepQuietest = -42.0  // dBFS
	beepPurity   = 0.85   // share of the energy in the tone
	beepBias     = 130.0  // hertz by which noise may pull an estimate up
	beepStep     = 12.5   // hertz: a quarter of what a frame tells apart
	beepShortest = 120 * time.Millisecond
	beepLongest  = 2500 * time.Millisecond // longer is a dial tone or a fault
)

// Beep detects the beep of an answering machine. The zero value is ready.
type Beep struct {
	pitch  float64 // of the last frame; 0: it was no tone
	lasted time.Duration
}

// Detect takes a frame of audio.FrameLen samples and reports whether a beep has just ended.
func (d *Beep) Detect(frame []int16) bool {
	pitch := pitchOf(frame)
	if pitch != 0 && (d.pitch == 0 || math.Abs(pitch-d.pitch) < beepDrift) {
		d.pitch = pitch
		d.lasted += audio.FrameDuration
		return false
	}
	ended := pitch == 0 && d.lasted >= beepShortest && d.lasted <= beepLongest
	d.pitch, d.lasted = pitch, 0
	return ended
}

// pitchOf returns the frequency of a frame that is a single tone, else 0. A sine is the only sound of which each sample follows
// from the two before it: x[n] = c·x[n-1] - x[n-2], with c = 2·cos(frequency). Noise pulls that estimate up, so the true
// pitch is looked for at it and below.
func pitchOf(frame []int16) float64 {
	if audio.Level(frame) < beepQuietest {
		return 0
	}
	var product, power float64
	for i := 2; i < len(frame); i++ {
		before := float64(frame[i-1])
		product += before * (float64(frame[i]) + float64(frame[i-2]))
		power += before * before
	}
	c := product / power / 2
	if !(c > 0 && c < 1) { // above 2 kHz, or no sine; NaN of silence too
		return 0
	}
	estimate := math.Acos(c) * audio.Rate / (2 * math.Pi)
	var pitch, purity float64
	for candidate := estimate - beepBias; candidate <= estimate+2*beepStep; candidate += beepStep {
		if p := audio.Purity(frame, candidate); p > purity {
			pitch, purity = candidate, p
		}
	}
	if purity < beepPurity || pitch < beepLowest || pitch > beepHighest {
		return 0
	}
	return pitch
}
