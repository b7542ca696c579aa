package deepgram

import (
	"sync"

	"github.com/callwright/callwright/voice/audio"
)

const (
	maxKept   = 120 * audio.Rate    // samples without a final text; the beginning of more is given up
	maxChunk  = audio.Rate / 4      // samples in one message
	minSpeech = audio.Rate / 10     // samples that can be a word
	tail      = 3 * audio.Rate / 10 // samples at the end of speech in which no word began
)

// speech is what was written and has no final text yet, so that another connection can
// hear it again. Positions count samples since the stream began. The writer adds to it
// while the stream sends it.
type speech struct {
	mu       sync.Mutex
	samples  []int16 // from settled on
	settled  int64   // up to here the text is final
	answered int64   // up to here it was given to the reader: a pause
	pauses   []int64 // not answered yet
	origin   int64   // what this connection calls the beginning
	sent     int64   // on this connection
	flushed  int     // pauses of which this connection was told
}

func (s *speech) write(samples []int16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.samples = append(s.samples, samples...)
	if excess := len(s.samples) - maxKept; excess > 0 {
		s.forget(s.settled + int64(excess))
	}
}

func (s *speech) pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pauses = append(s.pauses, s.written())
}

func (s *speech) written() int64 { return s.settled + int64(len(s.samples)) }

// forget lets go of everything before position to. What was never sent is missing from the
// time that the connection counts.
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

// again begins a connection: it has to hear everything that is kept.
func (s *speech) again() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.origin, s.sent, s.flushed = s.settled, s.settled, 0
}

// next is what has to be sent: some samples, or else that the speaker paused.
func (s *speech) next() (samples []int16, flush bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit, paused := s.written(), s.flushed < len(s.pauses)
	if paused {
		limit = s.pauses[s.flushed]
	}
	if left := limit - s.sent; left > 0 {
		from := s.sent - s.settled
		chunk := s.samples[from : from+min(left, maxChunk)]
		s.sent += int64(len(chunk))
		return append([]int16(nil), chunk...), false
	}
	if paused {
		s.flushed++
	}
	return nil, paused
}

// idle reports whether nothing waits for an answer.
func (s *speech) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pauses) == 0 && len(s.samples) < minSpeech
}

// settle notes that the text is final up to a time of the connection, in samples, and
// reports whether that is news.
func (s *speech) settle(to int64) (news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	to = min(s.origin+to, s.sent)
	news = to > s.settled
	s.forget(to)
	return news
}

// complete reports whether all words before the oldest pause have come, as far as the
// connection was told of it. flushed: it has just made everything final that it had.
func (s *speech) complete(flushed bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flushed == 0 {
		return false
	}
	left := s.pauses[0] - max(s.settled, s.answered)
	return flushed || left < minSpeech || left <= tail && s.settled > s.answered
}

// partly reports whether some of the text before the oldest pause has come.
func (s *speech) partly() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settled > s.answered
}

// paused reports whether a pause waits for its answer; asked: the connection knows of it.
func (s *speech) paused() (waits, asked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pauses) > 0, s.flushed > 0
}

// answer lets go of the oldest pause and all before it.
func (s *speech) answer() {
	s.mu.Lock()
	defer s.mu.Unlock()
	pause := s.pauses[0]
	s.pauses = s.pauses[1:]
	s.flushed--
	s.answered = pause
	s.forget(pause)
}
