package deepgram

import (
	"sync"

	"github.com/callwright/callwright/voice/audio"
)

// In samples at audio.Rate.
const (
	maxKept   = 120 * audio.Rate    // samples without a final text; of more, the beginning is dropped
	maxChunk  = audio.Rate / 4      // samples in one message
	minSpeech = audio.Rate / 10     // fewest samples of a word
	tail      = 3 * audio.Rate / 10 // samples at the end of speech in which no word begins
)

// speech is what was written and has no final text yet, so that it can be sent again over another connection. Positions
// count samples since the beginning of the stream. The writer appends while the stream sends.
type speech struct {
	band audio.Band

	mu        sync.Mutex
	samples   []int16 // from settled on
	settled   int64   // up to here the text is final
	finalized int64   // up to here final events were emitted: a pause
	pauses    []int64 // without a final event yet
	origin    int64   // start of this connection's time
	sent      int64   // on this connection
	flushed   int     // pauses that were sent on this connection
}

func (s *speech) write(samples []int16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.samples = append(s.samples, samples...)
	if excess := len(s.samples) - s.band.Scale(maxKept); excess > 0 {
		s.forget(s.settled + int64(excess))
	}
}

func (s *speech) pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pauses = append(s.pauses, s.written())
}

func (s *speech) written() int64 { return s.settled + int64(len(s.samples)) }

// forget drops everything before position to. What was never sent is missing from the connection's time.
func (s *speech) forget(to int64) {
	if to <= s.settled {
		return
	}
	s.samples = s.samples[to-s.settled:]
	s.settled = to
	if missing := to - s.sent; missing > 0 {
		s.origin, s.sent = s.origin+missing, to
	}
}

// again prepares a new connection, on which everything that is kept has to be sent.
func (s *speech) again() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.origin, s.sent, s.flushed = s.settled, s.settled, 0
}

// next returns what has to be sent: samples, or a flush for a pause.
func (s *speech) next() (samples []int16, flush bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit, paused := s.written(), s.flushed < len(s.pauses)
	if paused {
		limit = s.pauses[s.flushed]
	}
	if left := limit - s.sent; left > 0 {
		from := s.sent - s.settled
		chunk := s.samples[from : from+min(left, int64(s.band.Scale(maxChunk)))]
		s.sent += int64(len(chunk))
		return append([]int16(nil), chunk...), false
	}
	if paused {
		s.flushed++
	}
	return nil, paused
}

// idle reports whether no final event is due.
func (s *speech) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pauses) == 0 && len(s.samples) < s.band.Scale(minSpeech)
}

// settle records that the text is final up to a time of the connection, in samples, and reports whether that is new.
func (s *speech) settle(to int64) (news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	to = min(s.origin+to, s.sent)
	news = to > s.settled
	s.forget(to)
	return news
}

// complete reports whether all words before the oldest pause have come, if the connection was sent the pause. flushed:
// the server has just made everything final.
func (s *speech) complete(flushed bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flushed == 0 {
		return false
	}
	left := int(s.pauses[0] - max(s.settled, s.finalized))
	return flushed || left < s.band.Scale(minSpeech) || left <= s.band.Scale(tail) && s.settled > s.finalized
}

// partly reports whether some of the text before the oldest pause has come.
func (s *speech) partly() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settled > s.finalized
}

// paused reports whether a pause has no final event yet, and whether it was sent on the connection.
func (s *speech) paused() (waits, asked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pauses) > 0, s.flushed > 0
}

// finalize drops the oldest pause and all speech before it.
func (s *speech) finalize() {
	s.mu.Lock()
	defer s.mu.Unlock()
	pause := s.pauses[0]
	s.pauses = s.pauses[1:]
	s.flushed--
	s.finalized = pause
	s.forget(pause)
}
