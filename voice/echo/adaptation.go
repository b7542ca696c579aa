package echo

import "github.com/callwright/callwright/voice/audio"

// isTalk reports whether what the prediction leaves of a frame, as a share of its energy, is somebody's voice.
func (s *Suppressor) isTalk(energy, share float64) bool {
	return share > maxLeftEcho && s.aloud(share*energy) && share*energy > residue*s.peak
}

// predict subtracts the echo from the newest frame and returns what is left of it.
func (s *Suppressor) predict() (share float64) {
	w := scratches.Get().(*scratch)
	defer scratches.Put(w)
	leftover, share := s.known.subtract(w, audio.FrameLen, s.past)
	copy(s.known.leftover[:], leftover)
	return share
}

// learn takes the newest frame for an echo.
func (s *Suppressor) learn() {
	s.proven = min(s.proven+1, sureFrames)
	if s.echoed++; s.echoed == learnFrames {
		s.echoed = 0
		w := scratches.Get().(*scratch)
		defer scratches.Put(w)
		s.known.learn(w, learnFrames*audio.FrameLen, s.past, learnKeep)
		s.known.solve(w)
	}
}

// followDelay looks whether the echo in a frame of this energy has moved by whole frames: packets were late, or lost.
func (s *Suppressor) followDelay(energy float64) {
	const shifts = 3
	known := s.known.lag
	best, lag := 1.0, known
	for k := -shifts; k <= shifts; k++ {
		s.known.lag = known + k*audio.FrameLen
		if k == 0 || s.known.lag < 0 || s.known.lag > maxLag {
			continue
		}
		if share := s.predict(); share < best && !s.isTalk(energy, share) {
			best, lag = share, s.known.lag
		}
	}
	s.known.lag = lag
}

// findDelay looks for the echo in what arrived last, now and then, and reports whether it found a new one. A delay at which
// the two sides are alike counts only when a filter explains what arrives from there. A filter that explains it already is
// kept.
func (s *Suppressor) findDelay() bool {
	if s.search--; s.search > 0 || s.sounds < minSound {
		return false
	}
	s.search = searchInterval
	w := scratches.Get().(*scratch)
	defer scratches.Put(w)
	explains := func(f *filter) float64 {
		_, share := f.subtract(w, window, s.past)
		return share
	}
	if s.path == pathEchoes && explains(&s.known.filter) <= maxLeftNew {
		return false
	}
	lag, ok := s.past.likeliest(w)
	if !ok {
		return false
	}
	limit := maxLeftNew
	if s.proven >= sureFrames {
		limit = maxLeftProven
	}
	found := &w.found
	found.lag = lag
	found.learn(w, window, s.past, 0) // and forget all else
	found.solve(w)
	if explains(found) > limit {
		return false
	}
	if s.known == nil {
		s.known = new(known)
	}
	s.known.filter = *found
	s.path, s.echoed, s.proven = pathEchoes, 0, 0
	return true
}
