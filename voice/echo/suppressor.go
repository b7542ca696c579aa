// Package echo keeps the assistant's own voice, when it comes back from the far end, from being taken for the caller's.
//
// A Suppressor compares what arrives with what is played: first it looks for the delay at which the two are alike, then a
// short filter predicts the echo, and what the prediction explains is replaced by silence. What it does not explain is
// somebody talking, and passes without the echo in it.
//
// While it does not know the echo path, sound that arrives over the assistant's speech is held back until it is clear what
// it is, at most for half a second, and nothing of it is lost. On a path that has shown to have no echo nothing is held
// back; an echo that begins later, as on a call that was passed on, is found within a few syllables.
//
// The package knows samples alone. It must not know what plays or carries them.
package echo

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/prefetch"
)

// What counts as echo, as sound, and as silence.
const (
	maxLeftEcho = 0.25 // what the filter leaves of a frame that is echo, as a share of its energy; above, somebody talks
	residue     = 3e-3 // of the energy of a loud echo: less than that is nobody
	peakDecay   = 0.98 // of what a loud echo was, per frame

	aloudPower    = 1e5 // energy per sample from which the assistant's own sound counts: -40 dBFS
	faintPower    = 1e3 // below it, what arrives counts as silence: -60 dBFS
	ambientFactor = 4   // times the noise of the path: more is a sound
)

// How long it takes to decide.
const (
	maxDelay       = 500 * time.Millisecond // for deciding what a sound is, on a path not known yet
	searchInterval = 5                      // frames between two searches
	minSound       = 8                      // frames of sound before a search can tell anything
	cleanFrames    = 15                     // frames of silence in answer to speech: the path has no echo
	spokenFrames   = 20                     // frames of speech, of the last 32, that ought to be answered

	talkFrames  = 4 // frames of talk within talkOf that are somebody's
	talkOf      = 6
	sureFrames  = 50 // frames explained by a filter after which it is trusted; before, more talk is needed
	doubtFrames = 12
	doubtOf     = 18
	openFrames  = 10 // frames that pass behind the last one of them
)

// pathState is what is known about the path from what is played to what arrives.
type pathState uint8

const (
	pathUnknown pathState = iota
	pathClean             // no echo was found
	pathEchoes            // the filter knows it
)

// heldFrame waits for the decision what it is.
type heldFrame struct {
	pcm  []int16
	at   time.Duration
	talk bool
}

// known is what is needed of an echo that was found, which most calls have none of.
type known struct {
	filter
	leftover [audio.FrameLen]float32 // what it left of the newest frame
}

// Suppressor suppresses the echo in one call. It is for one goroutine. The zero value is ready.
type Suppressor struct {
	path    pathState
	past    *past   // nil while rings is 0
	rings   int     // frames for which what was played may come back
	voiced  uint32  // per frame, the last one lowest: the assistant's sound was loud
	ambient float64 // energy per sample of the path's noise
	sounds  int     // frames of sound that arrived, less those of silence
	silent  int     // frames of silence in answer to the assistant

	known  *known     // nil where no echo was ever found
	proven int        // frames that it explained
	peak   float64    // energy per sample of the echo where it was loud
	echoed int        // frames of echo in a row that the filter has not learned from
	smooth deemphasis // of what is left over

	held   []heldFrame
	open   int // frames for which somebody is believed to be talking
	search int // frames until the next search
	random uint32
}

// Prefetch fetches what Process reads that is so many pointers away from the suppressor.
func (s *Suppressor) Prefetch(depth int) {
	switch {
	case s.past == nil:
	case depth == 0:
		prefetch.Of(s.past)
	case depth == 1:
		s.past.prefetch()
	}
}

// Process takes a frame that came at a time, and what was played in the time of it. It emits what is to be heard, in order,
// now or later: every frame once, in at most half a second. Nothing is held back while talks is true: the caller is known to
// be speaking.
func (s *Suppressor) Process(frame, played []int16, talks bool, at time.Duration, emit func([]int16, time.Duration)) {
	s.remember(frame, played)
	energy := power(frame)
	sound := s.standsOut(energy)
	switch {
	case s.rings == 0: // there is nothing that could come back
		s.release(emit, true)
		s.open, s.echoed = 0, 0
		emit(frame, at)
	case s.path == pathEchoes:
		s.separate(frame, energy, talks, at, emit)
	case s.path == pathClean || talks:
		s.release(emit, true)
		if sound {
			s.findDelay()
		}
		emit(frame, at)
	default:
		s.probe(frame, sound, at, emit)
	}
}

// Echoes reports whether an echo was found: what it leaves of one may sound like somebody.
func (s *Suppressor) Echoes() bool { return s.path == pathEchoes }

// Clean reports whether nothing came back of what was played.
func (s *Suppressor) Clean() bool { return s.path == pathClean }

// remember moves the past on by a frame.
func (s *Suppressor) remember(frame, played []int16) {
	s.voiced <<= 1
	s.rings = max(s.rings-1, 0)
	loud := power(played)
	if loud > aloudPower {
		s.voiced |= 1
	}
	if loud > faintPower {
		s.rings = (span - window) / audio.FrameLen
	}
	switch {
	case s.rings == 0 && s.past != nil:
		pasts.Put(s.past)
		s.past = nil
	case s.rings > 0 && s.past == nil:
		s.past = pasts.Get().(*past)
		s.past.forget()
	}
	if s.past != nil {
		s.past.add(frame, played)
	}
}

// standsOut reports whether a frame stands out of the noise of the path, which it follows.
func (s *Suppressor) standsOut(energy float64) bool {
	if energy < s.ambient || s.ambient == 0 {
		s.ambient = energy
	} else {
		s.ambient *= 1.005 // 1 dB per second
	}
	s.ambient = min(max(s.ambient, 1), aloudPower)
	if !s.aloud(energy) {
		s.sounds = max(s.sounds-1, 0)
		return false
	}
	s.sounds = min(s.sounds+1, 2*minSound)
	return true
}

func (s *Suppressor) aloud(energy float64) bool {
	return energy > max(ambientFactor*s.ambient, faintPower)
}

// probe finds out about a path that is not known yet.
func (s *Suppressor) probe(frame []int16, sound bool, at time.Duration, emit func([]int16, time.Duration)) {
	if !sound && len(s.held) == 0 {
		s.proveClean()
		emit(frame, at)
		return
	}
	s.silent = 0
	s.held = append(s.held, heldFrame{slices.Clone(frame), at, true})
	switch {
	case s.findDelay():
		s.release(emit, false)
	case audio.Duration(len(s.held)*audio.FrameLen) >= maxDelay:
		s.path = pathClean
		s.release(emit, true)
	}
}

// proveClean counts how long the path has been silent although an echo was due.
func (s *Suppressor) proveClean() {
	if bits.OnesCount32(s.voiced) < spokenFrames {
		s.silent = 0
		return
	}
	if s.silent++; s.silent >= cleanFrames {
		s.path = pathClean
	}
}

// separate parts the echo from somebody who talks.
func (s *Suppressor) separate(frame []int16, energy float64, talks bool, at time.Duration, emit func([]int16, time.Duration)) {
	share := s.predict()
	s.peak *= peakDecay
	if s.isTalk(energy, share) {
		s.followDelay(energy)
		share = s.predict()
	}
	h := heldFrame{s.comfortNoise(), at, s.isTalk(energy, share)}
	switch {
	case !h.talk:
		s.peak = max(s.peak, energy)
		s.learn()
	case share < 1:
		s.smooth.undo(h.pcm, s.known.leftover[:])
	default:
		copy(h.pcm, frame)
	}
	s.held = append(s.held, h)
	if h.talk {
		s.echoed = 0
		often := s.open > 0 || s.talked() >= talkFrames-1
		if often && s.findDelay() && s.open == 0 && !talks { // the echo had changed
			s.release(emit, false)
			return
		}
	}
	s.decide(talks, emit)
}

// decide lets go of frames once enough of them are talk, or cannot be any more.
func (s *Suppressor) decide(talks bool, emit func([]int16, time.Duration)) {
	talk, of := talkFrames, talkOf
	if s.proven < sureFrames {
		talk, of = doubtFrames, doubtOf
	}
	if s.talked() >= talk || s.open > 0 && s.held[len(s.held)-1].talk {
		s.open = openFrames
	}
	switch {
	case talks || s.open > 0:
		s.open = max(s.open-1, 0)
		s.release(emit, true)
	case !s.held[0].talk || len(s.held) >= of:
		s.release(emit, false)
	}
}

func (s *Suppressor) talked() int {
	n := 0
	for _, h := range s.held {
		if h.talk {
			n++
		}
	}
	return n
}

// Flush emits what is held back, as it came.
func (s *Suppressor) Flush(emit func([]int16, time.Duration)) { s.release(emit, true) }

// release lets go of what was held, as it is or as silence.
func (s *Suppressor) release(emit func([]int16, time.Duration), heard bool) {
	for _, h := range s.held {
		if !heard {
			h.pcm = s.comfortNoise()
		}
		emit(h.pcm, h.at)
	}
	s.held = s.held[:0]
}

// comfortNoise returns a frame of the path's noise: digital silence next to it would be an event.
func (s *Suppressor) comfortNoise() []int16 {
	pcm := make([]int16, audio.FrameLen)
	loudest := float64(math.MaxInt32) / math.Sqrt(3*min(s.ambient, faintPower))
	for i := range pcm {
		s.random = s.random*1664525 + 1013904223
		pcm[i] = int16(float64(int32(s.random)) / loudest)
	}
	return pcm
}
