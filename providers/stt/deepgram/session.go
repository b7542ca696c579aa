package deepgram

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/socket"
	"github.com/callwright/callwright/providers/stt"
)

// grace is how long the server may take to make the rest of an utterance final. It does not respond to a flush if it
// has hardly any sound.
const grace = time.Second

var errSilent = errors.New("the text of what was said did not come")

// session is the state of one connection.
type session struct {
	*stream
	conn  *socket.Conn
	emit  func(stt.Event) bool
	due   *time.Timer // for the text before the oldest pause that was sent
	since time.Time   // when that pause was sent; zero: there is none
	quiet *time.Timer // since something was sent
}

func newTalk(s *stream, conn *socket.Conn, emit func(stt.Event) bool) *session {
	t := &session{stream: s, conn: conn, emit: emit,
		due: time.NewTimer(grace), quiet: time.NewTimer(s.provider.cfg.KeepAlive)}
	t.due.Stop()
	return t
}

func (t *session) run(ctx context.Context, deliveries <-chan delivery) error {
	defer t.due.Stop()
	defer t.quiet.Stop()
	if err := t.send(ctx); err != nil {
		return err
	}
	for {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.wake:
			err = t.send(ctx)
		case next := <-deliveries:
			if err = next.err; err == nil {
				err = t.take(ctx, next.message)
			}
		case <-t.due.C:
			err = t.overdue(ctx)
		case <-t.quiet.C:
			err = t.say(ctx, keepAlive)
		}
		if err != nil {
			return err
		}
	}
}

// send sends everything that was not sent yet.
func (t *session) send(ctx context.Context) error {
	for {
		samples, flush := t.speech.next()
		switch {
		case len(samples) > 0:
			if err := t.sound(ctx, samples); err != nil {
				return err
			}
		case !flush:
			return nil
		default:
			if err := t.flush(ctx); err != nil {
				return err
			}
		}
	}
}

// flush requests all text before a pause, unless it has come.
func (t *session) flush(ctx context.Context) error {
	if t.speech.complete(false) {
		return t.finalize(ctx)
	}
	t.expect()
	return t.say(ctx, finalize)
}

func (t *session) sound(ctx context.Context, samples []int16) error {
	data := make([]byte, 0, 2*len(samples))
	for _, sample := range samples {
		data = binary.LittleEndian.AppendUint16(data, uint16(sample))
	}
	limited, cancel := context.WithTimeout(ctx, t.provider.cfg.Timeout)
	defer cancel()
	t.quiet.Reset(t.provider.cfg.KeepAlive)
	return t.conn.SendBinary(limited, data)
}

func (t *session) say(ctx context.Context, what control) error {
	limited, cancel := context.WithTimeout(ctx, t.provider.cfg.Timeout)
	defer cancel()
	t.quiet.Reset(t.provider.cfg.KeepAlive)
	return t.conn.SendJSON(limited, what)
}

// expect starts the timer of the oldest pause, if it was sent.
func (t *session) expect() {
	_, asked := t.speech.paused()
	switch {
	case !asked:
		t.since = time.Time{}
		t.due.Stop()
	case t.since.IsZero():
		t.since = time.Now()
		t.due.Reset(min(grace, t.provider.cfg.Timeout))
	}
}

// overdue gives up waiting for the rest of an utterance of which some text has come, or else for the server.
func (t *session) overdue(ctx context.Context) error {
	left := t.provider.cfg.Timeout - time.Since(t.since)
	switch {
	case t.speech.partly():
		return t.finalize(ctx)
	case left > 0:
		t.due.Reset(left)
		return nil
	}
	return &fault.Error{Kind: fault.Timeout, Provider: t.endpoint.Provider, Err: errSilent}
}

// finalize emits a final event with all text before the oldest pause, and empty ones for further pauses that are
// complete.
// complete with that.
func (t *session) finalize(ctx context.Context) error {
	for more := true; more; more = t.speech.complete(false) {
		t.speech.finalize()
		if err := t.tell(ctx, stt.Event{Text: t.text.take(), Final: true}); err != nil {
			return err
		}
	}
	t.since = time.Time{}
	t.expect()
	return nil
}

func (t *session) tell(ctx context.Context, event stt.Event) error {
	if !t.emit(event) {
		return ctx.Err()
	}
	return nil
}

// take handles a message.
func (t *session) take(ctx context.Context, m message) error {
	switch m.Type {
	case typeResults:
		return t.result(ctx, m)
	case typeUtteranceEnd:
		if err := t.utteranceOver(ctx); err != nil {
			return err
		}
	case typeError:
		kind := fault.Unavailable
		if strings.Contains(m.complaint(), "DATA-") { // the server cannot decode our audio
			kind = fault.Refused
		}
		return fault.New(kind, t.endpoint.Provider, m.complaint())
	}
	if err := t.allowed.Take(time.Since(t.begun), stt.Event{}); err != nil {
		return t.conn.Garbled(err)
	}
	return nil
}

func (t *session) result(ctx context.Context, m message) error {
	text, err := m.transcript()
	if err == nil {
		err = t.allowed.Take(time.Since(t.begun), stt.Event{Text: text, Final: m.IsFinal})
	}
	if err != nil {
		return t.conn.Garbled(err)
	}
	if !m.IsFinal {
		if whole, changed := t.text.interim(text); changed {
			return t.tell(ctx, stt.Event{Text: whole})
		}
		return nil
	}
	t.text.final(text)
	news := t.speech.settle(m.end(t.speech.band))
	if news {
		t.attempts = 0
	}
	if t.speech.complete(m.FromFinalize && news) {
		return t.finalize(ctx)
	}
	if m.SpeechFinal {
		return t.utteranceOver(ctx)
	}
	return nil
}

// utteranceOver emits a final event for what the server takes for complete before the caller has found a pause.
// Otherwise it belongs to the event of that pause.
func (t *session) utteranceOver(ctx context.Context) error {
	if waits, _ := t.speech.paused(); waits {
		return nil
	}
	if text := t.text.take(); text != "" {
		return t.tell(ctx, stt.Event{Text: text, Final: true})
	}
	return nil
}
