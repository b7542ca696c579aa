package echo

import "github.com/callwright/callwright/voice/audio"

// The filter.
const (
	tapCount      = 128  // an echo that is 16 ms long
	lead          = 32   // taps before the found delay
	minLikeness   = 0.5  // correlation that makes a delay worth a try
	maxLeftNew    = 0.25 // what the filter may leave of the sound to be believed, as a share of its energy
	maxLeftProven = 0.1  // and to replace one that has been right for long
	learnFrames   = 5    // frames of echo in a row from which the filter learns
	learnKeep     = 0.98 // of what it knew before
)

// maxLag is the longest delay at which an echo is found, in samples.
const maxLag = span - window - tapCount - coarseness

// filter predicts the echo from what was played. It is the best filter in the sense of least squares over what it
// learned from, older sound counting less and less.
type filter struct {
	lag   int               // in samples: where the echo begins, but for lead
	taps  [tapCount]float32 // the one for what is oldest first
	like  [tapCount]float64 // what arrived against what was played, for the delay of each tap
	alone [tapCount]float64 // what was played against itself

	weight float64 // samples that it learned from
}

// source writes what was played the delay ago, up to now.
func (f *filter) source(out []float32, past *past) {
	past.emphasisePlayed(out, max(f.lag-lead, 0))
}

// subtract takes the predicted echo off the n samples that arrived last and returns what is left of them, and of their
// energy as a share.
func (f *filter) subtract(w *scratch, n int, past *past) (leftover []float32, share float64) {
	arrived, leftover := w.arrived[:n], w.leftover[:n]
	past.emphasiseArrived(arrived)
	f.source(w.played[:n+tapCount], past)
	whole := (n + audio.CorrelateLags - 1) / audio.CorrelateLags * audio.CorrelateLags
	echo := w.echo[:whole] // what is more than n means nothing
	audio.Correlate(echo, w.played[1:], f.taps[:])
	for i, v := range arrived {
		leftover[i] = v - echo[i]
	}
	return leftover, calmed(leftover) / (calmed(arrived) + 1)
}

// learn takes the n samples that arrived last for an echo. Both sides are cut at the same places, which keeps the equations
// solvable. The filter is as before until solve.
func (f *filter) learn(w *scratch, n int, past *past, keep float64) {
	arrived, source := w.arrived[:n+tapCount], w.played[:n+tapCount]
	past.emphasiseArrived(arrived[:n])
	f.source(source[:n], past)
	clear(arrived[n:])
	clear(source[n:])
	f.weight = keep*f.weight + float64(n)
	audio.Correlate(w.like[:], arrived, source[:n])
	audio.Correlate(w.alone[:], source, source[:n])
	for back := range f.taps {
		f.like[back] = keep*f.like[back] + float64(w.like[back])
		f.alone[back] = keep*f.alone[back] + float64(w.alone[back])
	}
}

// solve makes the filter fit what was learned (Levinson's recursion).
func (f *filter) solve(w *scratch) {
	// Little is known of frequencies that were hardly played, and of all of them at first.
	blur := 1 + 1e-3 + 0.02*window/max(f.weight, window)
	taps, errors, mirror := &w.taps, &w.errors, &w.mirror
	clear(taps[:])
	clear(errors[:])
	power := f.alone[0]*blur + faintPower
	taps[0], errors[0] = f.like[0]/power, 1
	for n := 1; n < tapCount; n++ {
		var reflected, missing float64
		for i := range n {
			reflected -= errors[i] * f.alone[n-i]
			missing += taps[i] * f.alone[n-i]
		}
		k := reflected / power
		copy(mirror[:n], errors[:n])
		for i := range n {
			errors[n-i] += k * mirror[i]
		}
		if power *= 1 - k*k; power <= 0 { // by rounding: what was played is too uniform for more taps
			break
		}
		more := (f.like[n] - missing) / power
		for i := range n + 1 {
			taps[i] += more * errors[n-i]
		}
	}
	for i, v := range taps {
		f.taps[tapCount-1-i] = float32(v)
	}
}
