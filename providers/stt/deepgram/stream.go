package deepgram

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/socket"
	"github.com/callwright/callwright/providers/stt"
)

const (
	// maxAttempts is how many connections in a row may be lost before any text has come.
	maxAttempts = 3
	// backoff is the wait before the second attempt; before the third it is twice as long.
	backoff = 150 * time.Millisecond
	// maxWaiting is how many messages may wait while something is sent.
	maxWaiting = 16
)

// stream is one speaker. One goroutine sends and emits events, on one connection after the other; another one receives.
type stream struct {
	*stt.Emitter
	provider *Provider
	endpoint socket.Endpoint
	wake     chan struct{} // there is something to send
	speech   speech
	text     utterance
	attempts int // connections lost since any text has come
	begun    time.Time
	allowed  stt.Allowance
}

func (s *stream) Write(samples []int16) error {
	if err := s.Over(); err != nil {
		return err
	}
	s.speech.write(samples)
	s.notify()
	return nil
}

func (s *stream) EndOfSpeech() {
	s.speech.pause()
	s.notify()
}

func (s *stream) notify() {
	select {
	case s.wake <- struct{}{}:
	default: // it was woken already
	}
}

// run uses connections, beginning with conn, until one fails for good or ctx ends.
func (s *stream) run(ctx context.Context, conn *socket.Conn, emit func(stt.Event) bool) error {
	for {
		err := s.use(ctx, conn, emit)
		if ctx.Err() != nil {
			return fault.FromNet(s.endpoint.Provider, ctx.Err())
		}
		if conn, err = s.reconnect(ctx, err); err != nil {
			return err
		}
	}
}

// reconnect replaces a connection that was lost by err, unless err would recur: Refused, Denied or Timeout. Without
// speech, which may be why the connection was lost, it waits until there is some.
func (s *stream) reconnect(ctx context.Context, err error) (*socket.Conn, error) {
	if kind, _ := fault.Of(err); kind != fault.Unavailable {
		return nil, err
	}
	for s.speech.idle() {
		select {
		case <-s.wake:
		case <-ctx.Done():
			return nil, fault.FromNet(s.endpoint.Provider, ctx.Err())
		}
	}
	if s.attempts == maxAttempts-1 {
		return nil, err
	}
	select {
	case <-time.After(time.Duration(s.attempts) * backoff):
	case <-ctx.Done():
		return nil, fault.FromNet(s.endpoint.Provider, ctx.Err())
	}
	s.attempts++
	return s.endpoint.Dial(ctx, s.provider.cfg.Timeout)
}

// use sends and receives on conn until it is lost.
func (s *stream) use(ctx context.Context, conn *socket.Conn, emit func(stt.Event) bool) error {
	live, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the last message is sent after ctx has ended
	deliveries := make(chan delivery, maxWaiting)
	var receiving sync.WaitGroup
	receiving.Go(func() { receive(live, conn, deliveries) })
	defer func() {
		conn.Leave(farewell)
		cancel()
		receiving.Wait()
	}()
	s.speech.again()
	s.text.shown = ""
	return newTalk(s, conn, emit).run(ctx, deliveries)
}

// delivery is a message, or the error after which no more will come.
type delivery struct {
	message message
	err     error
}

// receive passes on messages until there are no more, then its error.
func receive(ctx context.Context, conn *socket.Conn, to chan<- delivery) {
	for {
		var next delivery
		data, err := conn.Receive(ctx)
		if err == nil {
			if broken := json.Unmarshal(data, &next.message); broken != nil {
				err = conn.Garbled(broken)
			}
		}
		next.err = err
		select {
		case to <- next:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}
