package rtp

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync"
	"time"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/prefetch"
)

// Session is a stream of media over a pair of UDP ports, and what a clock does with them.
type Session struct {
	*media.Stream
	state
	clock    *media.Clock
	sender   sender
	reporter reporter
	receiver receiver

	frames int // sent so far

	life    sync.Mutex // held during a pulse
	started bool
	stopped bool
}

func newSession(sockets sockets, clock *media.Clock, scratch *scratch) *Session {
	stream := media.NewStream()
	s := &Session{
		Stream: stream, clock: clock,
		state: state{stream: stream, sockets: sockets, scratch: scratch, ssrc: rand.Uint32()},
	}
	s.sender = sender{state: &s.state, sequence: uint16(rand.Uint32())}
	s.reporter = newReporter(&s.state, &s.sender)
	s.receiver = receiver{state: &s.state, reporter: &s.reporter}
	return s
}

// Local returns the address of our end that takes media.
func (s *Session) Local() netip.AddrPort { return s.sockets.rtp.local }

// Trust sets what is believed of the far end's addresses. It must be called before Agree.
func (s *Session) Trust(t Trust) { s.trust = t }

// Agree takes the outcome of an offer and answer. A new address is believed at once, as far as it is trusted.
func (s *Session) Agree(r *Route) {
	r = s.trust.confine(r)
	old := s.route.Swap(r)
	if old != nil && old.named != r.named {
		s.learned.Store(nil)
	}
	s.Stream.Agree(&r.Formats)
}

// Route returns what was agreed on last, or nil.
func (s *Session) Route() *Route { return s.route.Load() }

// Start has the clock send and receive, unless the session is closed already. The route has to be agreed on before.
func (s *Session) Start() {
	s.life.Lock()
	defer s.life.Unlock()
	if s.stopped {
		return
	}
	s.started = true
	s.Stream.Start()
	s.reporter.schedule(s.Now())
	s.clock.Join(s)
}

// Pulse implements media.Member.
func (s *Session) Pulse(due time.Time, sends bool) (next time.Time) {
	s.life.Lock()
	defer s.life.Unlock()
	if s.stopped {
		return next
	}
	s.receiver.look(due)
	if !sends {
		return s.receiver.lookAt
	}
	if s.frames++; s.frames%reportLook == 0 {
		s.reporter.look()
	}
	s.reporter.report(s.Now())
	s.Send(due, s.scratch.media, &s.sender)
	return s.receiver.lookAt
}

// Prefetch implements media.Member.
func (s *Session) Prefetch(depth int) {
	if depth == 0 {
		prefetch.Of(s)
		return
	}
	s.Stream.Prefetch(depth - 1)
	if depth == 1 {
		prefetch.Of(s.sockets.rtp)
		prefetch.Of(s.route.Load())
		prefetch.Of(s.learned.Load())
	}
}

// Close leaves the clock, closes the sockets and closes Incoming. It may be called twice.
func (s *Session) Close() error {
	s.life.Lock()
	defer s.life.Unlock()
	if s.stopped {
		return nil
	}
	s.stopped = true
	if s.started {
		s.clock.Leave(s)
	}
	s.Stream.Close()
	if err := s.sockets.close(); err != nil {
		return fmt.Errorf("close media socket: %w", err)
	}
	return nil
}

// Stats returns a snapshot of what happened to the media.
func (s *Session) Stats() media.Stats {
	stats := s.Stream.Stats()
	if r := s.route.Load(); r != nil {
		stats.Encrypted = r.Cipher != nil
	}
	return stats
}
