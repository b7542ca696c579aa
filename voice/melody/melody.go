// Package melody follows the pitch of a voice and says how it ended before a pause: fallen, as at the end of what somebody has
// to say, or held up, as where there is more to come.
//
// It knows samples alone. It must not know words, turns, or what is done with the result.
package melody

import (
	"math"
	"slices"
	"sync"

	"github.com/callwright/callwright/voice/audio"
)

// How the pitch is found: at half the sample rate, in windows of three frames.
const (
	rate      = audio.Rate / 2
	hop       = audio.FrameLen / 2
	window    = 3 * hop
	brief     = window / 2 // where the pitch moves too fast for a whole one
	highest   = 400        // hertz, of a voice
	shortLag  = rate / highest
	longLag   = audio.CorrelateLags - 1 // 63 Hz, the lowest
	periodic  = 0.5                     // of the energy repeats itself: a voice, not a hiss
	reference = 70.0                    // hertz, from which semitones are counted
	octave    = 1.02                    // a lower pitch has to be so much more alike
	audible   = 25                      // decibels below the loudest: less is no voice
	fading    = 0.02                    // of the loudest, in decibels per frame
	rising    = 0.05                    // of the softest
)

const (
	keptFrames = 25 // half a second, of which the end is looked at
	kept       = keptFrames*hop + window + longLag
	history    = 128 // pitches that are remembered as the speaker's, of every other frame: five seconds of voice
	every      = 2
)

// past is what was heard last. A call needs one while somebody speaks in it.
type past [kept]int16

var pasts = sync.Pool{New: func() any { return new(past) }}

// Tracker follows one speaker. The zero value is ready; it belongs to one goroutine.
type Tracker struct {
	past    *past               // nil while nobody speaks
	levels  [keptFrames]float32 // dBFS, the newest last
	loud    float32             // of the loudest frame lately
	floor   float32             // of the softest frame lately
	count   int                 // frames
	pitches [history]float32    // of the speaker, in semitones
	known   int                 // how many of them there were
}

// Push takes a frame of audio.FrameLen samples of speech.
func (t *Tracker) Push(frame []int16) {
	if t.past == nil {
		t.past = pasts.Get().(*past)
		*t.past = past{}
	}
	copy(t.past[:], t.past[hop:])
	for i := range hop {
		t.past[kept-hop+i] = int16((int(frame[2*i]) + int(frame[2*i+1])) / 2)
	}
	level := float32(audio.Level(frame))
	copy(t.levels[:], t.levels[1:])
	t.levels[keptFrames-1] = level
	if t.loud -= fading; t.count == 0 || level > t.loud {
		t.loud = level
	}
	if t.floor += rising; t.count == 0 || level < t.floor {
		t.floor = level
	}
	if t.count++; t.count%every != 0 {
		return
	}
	if pitch := t.pitch(0); pitch > 0 {
		t.pitches[t.known%history] = pitch
		t.known++
	}
}

// Rest lets go of the sound of speech that has ended: before the next, it was silent.
func (t *Tracker) Rest() {
	if t.past != nil {
		pasts.Put(t.past)
		t.past = nil
	}
}

// pitch returns the pitch of the window that ended a number of frames ago, in semitones above reference; 0 where there is none.
func (t *Tracker) pitch(ago int) float32 {
	if t.levels[keptFrames-1-ago] < t.loud-audible {
		return 0
	}
	return t.pitchOver(ago, window)
}

// pitchOver returns the pitch of so many samples that ended a number of frames ago; 0 where there is none.
func (t *Tracker) pitchOver(ago, length int) float32 {
	if t.past == nil {
		return 0
	}
	var samples [longLag + window]float32
	past := samples[:longLag+length]
	for i, v := range t.past[kept-ago*hop-len(past):][:len(past)] {
		past[i] = float32(v)
	}
	now := past[longLag:]
	energy := power(now)
	then := power(past[longLag-shortLag+1:][:length])
	var products, likeness [longLag + 1]float32
	audio.Correlate(products[:], past, now) // the last one is no lag at all
	best, lag := float32(0), 0
	for l := shortLag - 1; l <= longLag; l++ {
		from := past[longLag-l:]
		if l >= shortLag { // the window moves by a sample
			then += from[0]*from[0] - from[length]*from[length]
		}
		if then <= 0 || energy <= 0 {
			continue
		}
		likeness[l] = products[longLag-l] / float32(math.Sqrt(float64(energy*then)))
		if l >= shortLag && likeness[l] > best*octave {
			best, lag = likeness[l], l
		}
	}
	if best < periodic || lag <= shortLag || lag >= longLag {
		return 0
	}
	return semitones(rate / (float64(lag) + top(likeness[lag-1], likeness[lag], likeness[lag+1])))
}

func power(samples []float32) (sum float32) {
	for _, v := range samples {
		sum += v * v
	}
	return sum
}

// top returns where the parabola through three points is highest, from -0.5 to 0.5 beside the one in the middle.
func top(a, b, c float32) float64 {
	bend := a - 2*b + c
	if bend == 0 {
		return 0
	}
	return min(max(float64((a-c)/2/bend), -0.5), 0.5)
}

func semitones(hertz float64) float32 { return float32(12 * math.Log2(hertz/reference)) }

// How low a voice has ended: how far the last syllable lies above the speaker's median, by the range of the speaker's pitch, less
// what it had faded before. As low as atEnd it is an end, as high as atMore there is more to come. Measured on ten synthetic
// voices of two languages that say 130 texts: as low as the middle of these lie nine ends of ten, and one of twenty pauses within
// what somebody says.
const (
	atEnd       = -1.4
	atMore      = -0.3
	leastPast   = 5    // pitches of the speaker before anything can be told
	leastSpread = 1.0  // semitones of a range, beside what was measured
	lastVoice   = 3    // voiced frames of the last syllable
	farthest    = 7.0  // semitones from the median: farther is a hiss, or half or twice the pitch
	steady      = 4.0  // semitones to a frame beside it: no voice leaps farther
	glide       = 2    // loud frames without a steady pitch: the voice moves too fast for one
	loudly      = 16   // decibels below the loudest
	aloud       = 8    // the same of what has not faded
	fadeRate    = 0.05 // that a frame of fading counts for
	lowEnd      = 6    // frames
	longTail    = 10   // frames
	faint       = 32   // decibels below the loudest: less is silence
	noise       = 8    // decibels above the softest: less is, too
	longFade    = 8    // frames
)

// Ending returns how the voice ended that fell silent a number of frames ago: from -1, it fell, to 1, it did not. 0 is in
// between, or unknown.
func (t *Tracker) Ending(silent int) float64 {
	if t.known < leastPast {
		return 0
	}
	own, spread := t.own()
	silent = t.audibleSince(silent)
	last, known := t.lastPitch(silent, own)
	if !known {
		return 0
	}
	low := (last-own)/(leastSpread+spread) - fadeRate*float64(t.faded(silent))
	return min(max(2*(low-atEnd)/(atMore-atEnd)-1, -1), 1)
}

// own returns the median of the speaker's pitches, and how far apart the middle half of them lies.
func (t *Tracker) own() (median, spread float64) {
	pitches := slices.Clone(t.pitches[:min(t.known, history)])
	slices.Sort(pitches)
	n := len(pitches)
	return middle(pitches), float64(pitches[n*3/4] - pitches[n/4])
}

// Sounds reports whether something is still to be heard: the last consonant of a word, where no voice is any more.
func (t *Tracker) Sounds() bool { return t.sounded(0) }

// Tail returns for how many frames a sound has gone on behind the end of the voice a number of frames ago.
func (t *Tracker) Tail(silent int) int {
	silent = min(silent, keptFrames)
	for ago := max(silent-longTail, 0); ago < silent; ago++ {
		if t.sounded(ago) {
			return silent - ago
		}
	}
	return 0
}

func (t *Tracker) sounded(ago int) bool {
	return t.levels[keptFrames-1-ago] >= max(t.loud-faint, t.floor+noise)
}

// audibleSince returns how many frames ago the voice was audible last that is said to have fallen silent a number of frames ago:
// what notices silence by other signs takes the low end of a fall for it.
func (t *Tracker) audibleSince(silent int) int {
	ago := max(silent-lowEnd, 0)
	for ago < silent && t.levels[keptFrames-1-min(ago, keptFrames-1)] < t.loud-audible {
		ago++
	}
	return ago
}

// faded returns for how many frames the voice had not been loud any more that fell silent a number of frames ago.
func (t *Tracker) faded(silent int) int {
	for ago := silent; ago < min(silent+longFade, keptFrames); ago++ {
		if t.levels[keptFrames-1-ago] > t.loud-aloud {
			return ago - silent
		}
	}
	return longFade
}

// lastPitch returns the pitch of the last syllable, of frames that agree with one beside them. Behind the last of these a voice
// may glide too fast to have a pitch: then a single frame that has one tells where to.
func (t *Tracker) lastPitch(silent int, own float64) (pitch float64, known bool) {
	last := make([]float32, 0, lastVoice)
	gliding := 0
	var newer, now, lone float32
	older := t.pitchIf(silent)
	for ago := silent; ago < keptFrames && len(last) < lastVoice; ago++ {
		newer, now, older = now, older, t.pitchIf(ago+1)
		voiced := now > 0 && math.Abs(float64(now)-own) <= farthest
		loud := t.levels[keptFrames-1-ago] >= t.loud-loudly
		switch {
		case voiced && (near(now, newer) || near(now, older)):
			last = append(last, now)
		case len(last) > 0 || !loud:
		default:
			gliding++
			if voiced && lone == 0 {
				lone = now
			}
		}
	}
	switch {
	case len(last) < lastVoice, gliding >= glide && lone == 0:
		return 0, false
	case gliding >= glide:
		return float64(lone), true
	}
	return median(last), true
}

// pitchIf is pitch for windows that are kept, of a brief one where a loud voice has none in a whole one, else 0.
func (t *Tracker) pitchIf(ago int) float32 {
	if ago >= keptFrames {
		return 0
	}
	pitch := t.pitch(ago)
	if pitch == 0 && t.levels[keptFrames-1-ago] >= t.loud-loudly {
		pitch = t.pitchOver(ago, brief)
	}
	return pitch
}

// near reports whether two pitches may follow each other.
func near(pitch, beside float32) bool {
	return beside > 0 && math.Abs(float64(pitch-beside)) < steady
}

// median sorts the values.
func median(values []float32) float64 {
	slices.Sort(values)
	return middle(values)
}

// middle returns the median of sorted values.
func middle(values []float32) float64 {
	n := len(values)
	return float64(values[(n-1)/2]+values[n/2]) / 2
}
