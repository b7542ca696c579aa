// Package melody follows the pitch of a voice and says how it ended before a pause: fallen, as at the end of what somebody has
// to say, or held up, as where there is more to come.
//
// It knows samples alone. It must not know words, turns, or what is done with the result.
package melody

import (
	"math"
	"slices"

	"github.com/callwright/callwright/voice/audio"
)

// How the pitch is found: at half the sample rate, in windows of three frames.
const (
	rate      = audio.Rate / 2
	hop       = audio.FrameLen / 2
	window    = 3 * hop
	highest   = 400 // hertz, of a voice
	shortLag  = rate / highest
	longLag   = audio.CorrelateLags - 1 // 63 Hz, the lowest
	periodic  = 0.5                     // of the energy repeats itself: a voice, not a hiss
	reference = 70.0                    // hertz, from which semitones are counted
	octave    = 1.02                    // a lower pitch has to be so much more alike
	audible   = 25                      // decibels below the loudest: less is no voice
	fading    = 0.02                    // of the loudest, in decibels per frame
)

const (
	keptFrames = 25 // half a second, of which the end is looked at
	kept       = keptFrames*hop + window + longLag
	history    = 128 // pitches that are remembered as the speaker's, of every other frame: five seconds of voice
	every      = 2
)

// Tracker follows one speaker. The zero value is ready; it belongs to one goroutine.
type Tracker struct {
	past    [kept]int16
	levels  [keptFrames]float32 // dBFS, the newest last
	loud    float32             // of the loudest frame lately
	count   int                 // frames
	pitches [history]float32    // of the speaker, in semitones
	known   int                 // how many of them there were
}

// Push takes a frame of audio.FrameLen samples of speech.
func (t *Tracker) Push(frame []int16) {
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
	if t.count++; t.count%every != 0 {
		return
	}
	if pitch := t.pitch(0); pitch > 0 {
		t.pitches[t.known%history] = pitch
		t.known++
	}
}

// pitch returns the pitch of the window that ended a number of frames ago, in semitones above reference; 0 where there is none.
func (t *Tracker) pitch(ago int) float32 {
	if t.levels[keptFrames-1-ago] < t.loud-audible {
		return 0
	}
	var past [longLag + window]float32
	for i, v := range t.past[kept-ago*hop-len(past):][:len(past)] {
		past[i] = float32(v)
	}
	now := past[longLag:]
	energy := power(now)
	then := power(past[longLag-shortLag+1:][:window])
	var products, likeness [longLag + 1]float32
	audio.Correlate(products[:], past[:], now) // the last one is no lag at all
	best, lag := float32(0), 0
	for l := shortLag - 1; l <= longLag; l++ {
		from := past[longLag-l:]
		if l >= shortLag { // the window moves by a sample
			then += from[0]*from[0] - from[window]*from[window]
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

// How far the last syllable lies above the speaker's median, in semitones: as low as atEnd it is an end, as high as atMore
// there is more to come. Measured on nineteen synthetic voices of two languages: as low as the middle of these lie six ends of
// seven, and one of fifty pauses within what somebody says.
const (
	atEnd     = -2.6
	atMore    = -1.4
	lastVoice = 3   // voiced frames of the last syllable
	leastPast = 5   // pitches of the speaker before anything can be told
	farthest  = 7.0 // semitones from the median: farther is a hiss, or half or twice the pitch
	steady    = 4.0 // semitones to a frame beside it: no voice leaps farther
	glide     = 2   // loud frames without a steady pitch: the voice moves too fast for one
	loudly    = 16  // decibels below the loudest
)

// Ending returns how the voice ended that fell silent a number of frames ago: from -1, it fell, to 1, it did not. 0 is in
// between, or unknown.
func (t *Tracker) Ending(silent int) float64 {
	if t.known < leastPast {
		return 0
	}
	own := median(slices.Clone(t.pitches[:min(t.known, history)]))
	last, known := t.lastPitch(max(silent, 0), own)
	if !known {
		return 0
	}
	return min(max(2*(last-own-atEnd)/(atMore-atEnd)-1, -1), 1)
}

// lastPitch returns the pitch of the last syllable, of frames that agree with one beside them. Behind the last of these a voice may
// glide too fast to have a pitch: then a single frame that has one tells where to.
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

// pitchIf is pitch for windows that are kept, else 0.
func (t *Tracker) pitchIf(ago int) float32 {
	if ago >= keptFrames {
		return 0
	}
	return t.pitch(ago)
}

// near reports whether two pitches may follow each other.
func near(pitch, beside float32) bool {
	return beside > 0 && math.Abs(float64(pitch-beside)) < steady
}

// median sorts the values.
func median(values []float32) float64 {
	slices.Sort(values)
	n := len(values)
	return float64(values[(n-1)/2]+values[n/2]) / 2
}
