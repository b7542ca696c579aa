package vad

import "fmt"

// Stream joins a detector, a gate and a ring of recent audio for one direction of a
// call. It belongs to one goroutine.
type Stream struct {
	prober Prober
	gate   *Gate
	frame  [FrameSize]int16
	filled int
	ring   []int16
	total  int64 // samples pushed
}

// NewStream returns a stream that remembers enough audio to replay from the From of a
// start event when that event arrives.
func NewStream(p Prober, c GateConfig) (*Stream, error) {
	gate, err := NewGate(c)
	if err != nil {
		return nil, fmt.Errorf("open voice activity stream: %w", err)
	}
	// A candidate may contain dropouts of one frame, so allow twice the minimum speech.
	size := gate.preRoll + 2*gate.minSpeech + 4*FrameSize
	return &Stream{prober: p, gate: gate, ring: make([]int16, size)}, nil
}

// Open reports whether speech is in progress.
func (s *Stream) Open() bool { return s.gate.Open() }

// Total is the number of samples pushed so far: the present, in the positions of events.
func (s *Stream) Total() int64 { return s.total }

// Push adds audio in chunks of any size and calls emit for each event.
func (s *Stream) Push(pcm []int16, emit func(Event)) {
	for len(pcm) > 0 {
		n := copy(s.frame[s.filled:], pcm)
		s.remember(pcm[:n])
		pcm, s.filled = pcm[n:], s.filled+n
		if s.filled < FrameSize {
			return
		}
		s.filled = 0
		if e := s.gate.Push(s.prober.Prob(s.frame[:])); e.Kind != None {
			emit(e)
		}
	}
}

func (s *Stream) remember(pcm []int16) {
	for len(pcm) > 0 {
		n := copy(s.ring[s.total%int64(len(s.ring)):], pcm)
		pcm, s.total = pcm[n:], s.total+int64(n)
	}
}

// Since returns a copy of the audio from position at until now, or what is left of it.
func (s *Stream) Since(at int64) []int16 {
	size := int64(len(s.ring))
	oldest := min(max(at, s.total-size, 0), s.total)
	out := make([]int16, s.total-oldest)
	n := copy(out, s.ring[oldest%size:])
	copy(out[n:], s.ring)
	return out
}
