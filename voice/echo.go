package voice

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/callwright/callwright/voice/audio"
)

// The echo guard keeps the assistant's own voice, when it comes back from the far end, from
// being taken for the caller's. It compares what arrives with what is played: first it
// looks for the delay at which the two are alike, then a short filter predicts the echo,
// and what the prediction explains is silence to the ear. What it does not explain is
// somebody talking, and is heard without the echo in it.
//
// While it does not know the line, sound that arrives over the assistant's speech is held
// back until it is clear what it is, at most for echoTrial, and nothing of it is lost. On a
// line that has shown to have no echo nothing is held back; an echo that begins later, as
// on a call that was passed on, is found within a few syllables.
const (
	echoSpan     = 8192               // samples of what was played that are kept: delays up to 0.75 s are found
	echoWindow   = 2048               // samples of what arrives that are searched with
	echoRoom     = 4 * audio.FrameLen // for new samples, before the old ones are moved
	echoCoarse   = 4                  // the search compares every fourth sample, averaged
	echoTaps     = 128                // of the filter: an echo that is 16 ms long
	echoLead     = 32                 // taps before the found delay
	echoAlike    = 0.5                // correlation that makes a delay worth a try
	echoTrained  = 0.25               // what the filter may leave of the sound to be believed, as a share of its energy
	echoProven   = 0.1                // and to replace one that has been right for long
	echoExplains = 0.25               // and of a frame that counts as echo; above, somebody talks
	echoResidue  = 3e-3               // of the energy of a loud echo: less than that is nobody
	echoFades    = 0.98               // of what a loud echo was, per frame
	echoLearns   = 5                  // frames of echo in a row from which the filter learns
	echoKeeps    = 0.98               // of what it knew before

	echoAloud   = 1e5 // energy per sample from which the assistant's own sound counts: -40 dBFS
	echoFaint   = 1e3 // below it, what arrives counts as silence: -60 dBFS
	echoAmbient = 4   // times the noise of the line: more is a sound

	echoTrial   = 500 * time.Millisecond // for deciding what a sound is, on a line not known yet
	echoOften   = 5                      // frames between two searches
	echoEnough  = 8                      // frames of sound before a search can tell anything
	echoProof   = 15                     // frames of silence in answer to speech: the line has no echo
	echoSpoken  = 20                     // frames of speech, of the last 32, that ought to be answered
	echoTalk    = 4                      // frames of talk within echoTalkOf that are somebody's
	echoTalkOf  = 6
	echoSure    = 50 // frames explained by a filter after which it is trusted; before, more talk is needed
	echoDoubt   = 12
	echoDoubtOf = 18
	echoStays   = 10 // frames for which the guard stays open behind the last one of them
)

// echoLine is what the guard knows about the line.
type echoLine uint8

const (
	lineUnknown echoLine = iota
	lineClean            // no echo was found
	lineEchoes           // the filter knows it
)

// heldFrame waits for the decision what it is.
type heldFrame struct {
	pcm  []int16
	at   time.Duration
	talk bool
}

// guard belongs to the goroutine that owns the call. The zero value is ready.
type guard struct {
	line    echoLine
	past    *echoPast // nil while rings is 0
	rings   int       // frames for which what was played may come back
	voiced  uint32    // per frame, the last one lowest: the assistant's sound was loud
	ambient float64   // energy per sample of the line's noise
	sounds  int       // frames of sound that arrived, less those of silence
	silent  int       // frames of silence in answer to the assistant

	filter   echoFilter
	proven   int     // frames that it explained
	peak     float64 // energy per sample of the echo where it was loud
	echoed   int     // frames of echo in a row that the filter has not learned from
	leftover [audio.FrameLen]float32
	calm     calm // of what is left over

	held   []heldFrame
	open   int // frames for which somebody is believed to be talking
	search int // frames until the next search
	random uint32
}

// hear takes a frame that came at a moment, and what was played in the time of it. It emits
// what the ear should hear, in order, now or later. Nothing is held back while talks is
// true: then the ear is listening to the caller already.
func (g *guard) hear(frame, played []int16, talks bool, at time.Duration, emit func([]int16, time.Duration)) {
	g.keep(frame, played)
	energy := power(frame)
	sound := g.stands(energy)
	switch {
	case g.rings == 0: // there is nothing that could come back
		g.release(emit, true)
		g.open, g.echoed = 0, 0
		emit(frame, at)
	case g.line == lineEchoes:
		g.sieve(frame, energy, talks, at, emit)
	case g.line == lineClean || talks:
		g.release(emit, true)
		if sound {
			g.seek()
		}
		emit(frame, at)
	default:
		g.try(frame, sound, at, emit)
	}
}

// keep moves the past on by a frame.
func (g *guard) keep(frame, played []int16) {
	g.voiced <<= 1
	g.rings = max(g.rings-1, 0)
	loud := power(played)
	if loud > echoAloud {
		g.voiced |= 1
	}
	if loud > echoFaint {
		g.rings = (echoSpan - echoWindow) / audio.FrameLen
	}
	switch {
	case g.rings == 0 && g.past != nil:
		echoPasts.Put(g.past)
		g.past = nil
	case g.rings > 0 && g.past == nil:
		g.past = echoPasts.Get().(*echoPast)
		*g.past = echoPast{}
	}
	if g.past != nil {
		g.past.add(frame, played)
	}
}

// stands reports whether a frame stands out of the noise of the line, which it follows.
func (g *guard) stands(energy float64) bool {
	if energy < g.ambient || g.ambient == 0 {
		g.ambient = energy
	} else {
		g.ambient *= 1.005 // 1 dB per second
	}
	g.ambient = min(max(g.ambient, 1), echoAloud)
	if !g.aloud(energy) {
		g.sounds = max(g.sounds-1, 0)
		return false
	}
	g.sounds = min(g.sounds+1, 2*echoEnough)
	return true
}

func (g *guard) aloud(energy float64) bool { return energy > max(echoAmbient*g.ambient, echoFaint) }

// try finds out about a line that is not known yet.
func (g *guard) try(frame []int16, sound bool, at time.Duration, emit func([]int16, time.Duration)) {
	if !sound && len(g.held) == 0 {
		g.proveClean()
		emit(frame, at)
		return
	}
	g.silent = 0
	g.held = append(g.held, heldFrame{slices.Clone(frame), at, true})
	switch {
	case g.seek():
		g.release(emit, false)
	case audio.Duration(len(g.held)*audio.FrameLen) >= echoTrial:
		g.line = lineClean
		g.release(emit, true)
	}
}

// proveClean counts how long the line has been silent although an echo was due.
func (g *guard) proveClean() {
	if bits.OnesCount32(g.voiced) < echoSpoken {
		g.silent = 0
		return
	}
	if g.silent++; g.silent >= echoProof {
		g.line = lineClean
	}
}

// sieve parts the echo from somebody who talks.
func (g *guard) sieve(frame []int16, energy float64, talks bool, at time.Duration, emit func([]int16, time.Duration)) {
	share := g.predict()
	g.peak *= echoFades
	if g.isTalk(energy, share) {
		g.shift(energy)
		share = g.predict()
	}
	h := heldFrame{g.hush(), at, g.isTalk(energy, share)}
	switch {
	case !h.talk:
		g.peak = max(g.peak, energy)
		g.learn()
	case share < 1:
		g.calm.lower(h.pcm, g.leftover[:])
	default:
		copy(h.pcm, frame)
	}
	g.held = append(g.held, h)
	if h.talk {
		g.echoed = 0
		often := g.open > 0 || g.talked() >= echoTalk-1
		if often && g.seek() && g.open == 0 && !talks { // the echo had changed
			g.release(emit, false)
			return
		}
	}
	g.decide(talks, emit)
}

// isTalk tells whether what the prediction leaves of a frame, as a share of its energy, is
// somebody's voice.
func (g *guard) isTalk(energy, share float64) bool {
	return share > echoExplains && g.aloud(share*energy) && share*energy > echoResidue*g.peak
}

// decide lets go of frames once enough of them are talk, or cannot be any more.
func (g *guard) decide(talks bool, emit func([]int16, time.Duration)) {
	talk, of := echoTalk, echoTalkOf
	if g.proven < echoSure {
		talk, of = echoDoubt, echoDoubtOf
	}
	if g.talked() >= talk || g.open > 0 && g.held[len(g.held)-1].talk {
		g.open = echoStays
	}
	switch {
	case talks || g.open > 0:
		g.open = max(g.open-1, 0)
		g.release(emit, true)
	case !g.held[0].talk || len(g.held) >= of:
		g.release(emit, false)
	}
}

func (g *guard) talked() int {
	n := 0
	for _, h := range g.held {
		if h.talk {
			n++
		}
	}
	return n
}

// release lets go of what was held, as it is or as silence.
func (g *guard) release(emit func([]int16, time.Duration), heard bool) {
	for _, h := range g.held {
		if !heard {
			h.pcm = g.hush()
		}
		emit(h.pcm, h.at)
	}
	g.held = g.held[:0]
}

// hush is a frame of the line's noise: digital silence next to it would be an event.
func (g *guard) hush() []int16 {
	pcm := make([]int16, audio.FrameLen)
	loudest := float64(math.MaxInt32) / math.Sqrt(3*min(g.ambient, echoFaint))
	for i := range pcm {
		g.random = g.random*1664525 + 1013904223
		pcm[i] = int16(float64(int32(g.random)) / loudest)
	}
	return pcm
}
