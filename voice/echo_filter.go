package voice

import "github.com/callwright/callwright/voice/audio"

// echoFarthest is the longest delay at which an echo is found, in samples.
const echoFarthest = echoSpan - echoWindow - echoTaps - echoCoarse

// echoFilter predicts the echo from what was played. It is the best filter in the sense of
// least squares over what it learned from, older sound counting less and less.
type echoFilter struct {
	lag   int               // in samples: where the echo begins, but for echoLead
	taps  [echoTaps]float32 // the one for what is oldest first
	like  [echoTaps]float64 // what arrived against what was played, for the delay of each tap
	alone [echoTaps]float64 // what was played against itself

	weight float64 // samples that it learned from
}

// source writes what was played the delay ago, up to now.
func (f *echoFilter) source(out []float32, past *echoPast) {
	end := echoSpan - max(f.lag-echoLead, 0)
	raise(out, past.played[past.moved+end-len(out):][:1+len(out)])
}

// subtract takes the predicted echo off the n samples that arrived last and returns what is left of them, and of their
// energy as a share.
func (f *echoFilter) subtract(w *echoWork, n int, past *echoPast) (leftover []float32, share float64) {
	arrived, leftover := w.arrived[:n], w.leftover[:n]
	past.here(arrived)
	f.source(w.played[:n+echoTaps], past)
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
func (f *echoFilter) learn(w *echoWork, n int, past *echoPast, keep float64) {
	arrived, source := w.arrived[:n+echoTaps], w.played[:n+echoTaps]
	past.here(arrived[:n])
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
func (f *echoFilter) solve(w *echoWork) {
	// Little is known of frequencies that were hardly played, and of all of them at first.
	blur := 1 + 1e-3 + 0.02*echoWindow/max(f.weight, echoWindow)
	taps, errors, mirror := &w.taps, &w.errors, &w.mirror
	clear(taps[:])
	clear(errors[:])
	power := f.alone[0]*blur + echoFaint
	taps[0], errors[0] = f.like[0]/power, 1
	for n := 1; n < echoTaps; n++ {
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
		f.taps[echoTaps-1-i] = float32(v)
	}
}

// predict subtracts the echo from the newest frame and returns what is left of it.
func (g *guard) predict() (share float64) {
	w := echoWorks.Get().(*echoWork)
	defer echoWorks.Put(w)
	leftover, share := g.filter.subtract(w, audio.FrameLen, g.past)
	copy(g.leftover[:], leftover)
	return share
}

// learn takes the newest frame for an echo.
func (g *guard) learn() {
	g.proven = min(g.proven+1, echoSure)
	if g.echoed++; g.echoed == echoLearns {
		g.echoed = 0
		w := echoWorks.Get().(*echoWork)
		defer echoWorks.Put(w)
		g.filter.learn(w, echoLearns*audio.FrameLen, g.past, echoKeeps)
		g.filter.solve(w)
	}
}

// shift looks whether the echo in a frame of this energy has moved by whole frames: packets
// were late, or lost.
func (g *guard) shift(energy float64) {
	const farthest = 3
	known := g.filter.lag
	best, lag := 1.0, known
	for k := -farthest; k <= farthest; k++ {
		g.filter.lag = known + k*audio.FrameLen
		if k == 0 || g.filter.lag < 0 || g.filter.lag > echoFarthest {
			continue
		}
		if share := g.predict(); share < best && !g.isTalk(energy, share) {
			best, lag = share, g.filter.lag
		}
	}
	g.filter.lag = lag
}

// seek looks for the echo in what arrived last, now and then. A delay at which the two
// sides are alike counts only when a filter explains what arrives from there. A filter that
// explains it already is kept.
func (g *guard) seek() bool {
	if g.search--; g.search > 0 || g.sounds < echoEnough {
		return false
	}
	g.search = echoOften
	w := echoWorks.Get().(*echoWork)
	defer echoWorks.Put(w)
	explains := func(f *echoFilter) float64 {
		_, share := f.subtract(w, echoWindow, g.past)
		return share
	}
	if g.line == lineEchoes && explains(&g.filter) <= echoTrained {
		return false
	}
	lag, ok := g.past.likeliest(w)
	if !ok {
		return false
	}
	limit := echoTrained
	if g.proven >= echoSure {
		limit = echoProven
	}
	found := &w.found
	found.lag = lag
	found.learn(w, echoWindow, g.past, 0) // and forget all else
	found.solve(w)
	if explains(found) > limit {
		return false
	}
	g.filter = *found
	g.line, g.echoed, g.proven = lineEchoes, 0, 0
	return true
}

// calmed is the energy of emphasised sound without the emphasis.
func calmed(pcm []float32) float64 {
	var last, sum float32
	for _, v := range pcm {
		last = v + emphasised*last
		sum += last * last
	}
	return float64(sum)
}

// power is the energy per sample.
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

// raise emphasises all samples but the first.
func raise(out []float32, pcm []int16) {
	last := float32(pcm[0])
	for i, v := range pcm[1:][:len(out)] {
		out[i] = float32(v) - emphasised*last
		last = float32(v)
	}
}

// calm takes the emphasis back. It is the last sample.
type calm float32

func (c *calm) lower(out []int16, pcm []float32) {
	last := float32(*c)
	for i, v := range pcm {
		last = v + emphasised*last
		out[i] = saturate(float64(last))
	}
	*c = calm(last)
}
