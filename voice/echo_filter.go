package voice

import "github.com/callwright/callwright/voice/audio"

// echoFarthest is the longest delay at which an echo is found, in samples.
const echoFarthest = echoSpan - echoWindow - echoTaps - echoCoarse

// echoFilter predicts the echo from what was played. It is the best filter in the sense of
// least squares over what it learned from, older sound counting less and less.
type echoFilter struct {
	lag   int // in samples: where the echo begins, but for echoLead
	taps  [echoTaps]float32
	like  [echoTaps]float64 // what arrived against what was played, for the delay of each tap
	alone [echoTaps]float64 // what was played against itself

	weight float64 // samples that it learned from
}

// source is what was played the delay ago, n samples up to now.
func (f *echoFilter) source(played []float32, n int) []float32 {
	end := len(played) - max(f.lag-echoLead, 0)
	return played[end-n : end]
}

// subtract takes the predicted echo off what arrived and returns what is left of its energy
// as a share.
func (f *echoFilter) subtract(leftover, arrived, played []float32) float64 {
	n := len(leftover)
	copy(leftover, arrived)
	source := f.source(played, n+echoTaps)
	for back, tap := range &f.taps {
		late := source[echoTaps-back:][:n]
		for i := range leftover {
			leftover[i] -= tap * late[i]
		}
	}
	return calmed(leftover) / (calmed(arrived) + 1)
}

// learn takes what arrived for an echo. Both sides are cut at the same places, which keeps
// the equations solvable. The filter is as before until solve.
func (f *echoFilter) learn(arrived, played []float32, keep float64) {
	f.weight = keep*f.weight + float64(len(arrived))
	source := f.source(played, len(arrived))
	for back := range f.taps {
		late := source[:len(source)-back]
		f.like[back] = keep*f.like[back] + float64(dot(arrived[back:], late))
		f.alone[back] = keep*f.alone[back] + float64(dot(source[back:], late))
	}
}

// solve makes the filter fit what was learned (Levinson's recursion).
func (f *echoFilter) solve() {
	// Little is known of frequencies that were hardly played, and of all of them at first.
	blur := 1 + 1e-3 + 0.02*echoWindow/max(f.weight, echoWindow)
	var taps, errors, mirror [echoTaps]float64
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
	for i, v := range &taps {
		f.taps[i] = float32(v)
	}
}

// past is what was played, the last of it at the end.
func (g *guard) past() []float32 { return g.played[g.moved:][:echoSpan] }

// here is what arrived, the last of it at the end.
func (g *guard) here() []float32 { return g.arrived[g.moved:][:echoWindow] }

// newest are the frames that arrived last.
func (g *guard) newest(n int) []float32 { return g.here()[echoWindow-n*audio.FrameLen:] }

// predict subtracts the echo from the newest frame and returns what is left of it.
func (g *guard) predict() (share float64) {
	return g.filter.subtract(g.leftover[:], g.newest(1), g.past())
}

// learn takes the newest frame for an echo.
func (g *guard) learn() {
	g.proven = min(g.proven+1, echoSure)
	if g.echoed++; g.echoed == echoLearns {
		g.echoed = 0
		g.filter.learn(g.newest(echoLearns), g.past(), echoKeeps)
		g.filter.solve()
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
	var leftover [echoWindow]float32
	if g.line == lineEchoes && g.filter.subtract(leftover[:], g.here(), g.past()) <= echoTrained {
		return false
	}
	lag, ok := g.likeliest()
	if !ok {
		return false
	}
	limit := echoTrained
	if g.proven >= echoSure {
		limit = echoProven
	}
	found := echoFilter{lag: lag}
	found.learn(g.here(), g.past(), 0)
	found.solve()
	if found.subtract(leftover[:], g.here(), g.past()) > limit {
		return false
	}
	g.line, g.filter, g.echoed, g.proven = lineEchoes, found, 0, 0
	return true
}

// likeliest is the delay at which what arrived is most like what was played.
func (g *guard) likeliest() (lag int, ok bool) {
	var played [echoSpan / echoCoarse]float32
	var arrived [echoWindow / echoCoarse]float32
	coarse(played[:], g.past())
	coarse(arrived[:], g.here())
	all := dot(arrived[:], arrived[:])
	var best float32
	last := len(played) - len(arrived)
	loud := dot(played[last:], played[last:])
	for d := range echoFarthest / echoCoarse {
		before := played[last-d : last-d+len(arrived)]
		likeness := dot(arrived[:], before)
		if likeness = likeness * likeness / (loud + 1); likeness > best && loud > 1 {
			best, lag = likeness, d*echoCoarse
		}
		in, out := played[last-d-1], before[len(before)-1]
		loud += in*in - out*out
	}
	return lag, best > echoAlike*echoAlike*all && all > 0
}

// coarse averages, so that fewer samples have to be compared.
func coarse(out, in []float32) {
	for i := range out {
		out[i] = (in[i*echoCoarse] + in[i*echoCoarse+1] + in[i*echoCoarse+2] + in[i*echoCoarse+3]) / echoCoarse
	}
}

func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
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
	var sum float64
	for _, v := range pcm {
		sum += float64(v) * float64(v)
	}
	return sum / float64(len(pcm))
}

// emphasis evens out the spectrum of speech, of which otherwise the low tones decide alone,
// and takes that back. It remembers the last sample.
type emphasis struct{ last float32 }

const emphasised = 0.9

func (e *emphasis) raise(out []float32, pcm []int16) {
	for i, v := range pcm {
		out[i] = float32(v) - emphasised*e.last
		e.last = float32(v)
	}
}

func (e *emphasis) lower(out []int16, pcm []float32) {
	for i, v := range pcm {
		e.last = v + emphasised*e.last
		out[i] = saturate(float64(e.last))
	}
}
