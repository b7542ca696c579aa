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

// grace is how long the server may take to make the rest of an utterance final. It need
// not answer a flush for which it has hardly any sound.
const grace = time.Second

var errSilent = errors.New("the text of what was said did not come")

// talk is what one connection is in the middle of.
type talk struct {
	*stream
	conn  *socket.Conn
	emit  func(stt.Event) bool
	due   *time.Timer // for the text before the oldest pause that the server knows of
	since time.Time   // it was told; zero: there is none
	quiet *time.Timer // since something was sent
}

func newTalk(s *stream, conn *socket.Conn, emit func(stt.Event) bool) *talk {
	t := &talk{stream: s, conn: conn, emit: emit,
		due: time.NewTimer(grace), quiet: time.NewTimer(s.provider.cfg.KeepAlive)}
	t.due.Stop()
	return t
}

func (t *talk) run(ctx context.Context, deliveries <-chan delivery) error {
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

// send tells the server all that it was not told yet.
func (t *talk) send(ctx context.Context) error {
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

// flush asks for all text before a pause, unless it is there.
func (t *talk) flush(ctx context.Context) error {
	if t.speech.complete(false) {
		return t.answer(ctx)
	}
	t.expect()
	return t.say(ctx, finalize)
}

func (t *talk) sound(ctx context.Context, samples []int16) error {
	data := make([]byte, 0, 2*len(samples))
	for _, sample := range samples {
		data = binary.LittleEndian.AppendUint16(data, uint16(sample))
	}
	limited, cancel := context.WithTimeout(ctx, t.provider.cfg.Timeout)
	defer cancel()
	t.quiet.Reset(t.provider.cfg.KeepAlive)
	return t.conn.SendBinary(limited, data)
}

func (t *talk) say(ctx context.Context, what control) error {
	limited, cancel := context.WithTimeout(ctx, t.provider.cfg.Timeout)
	defer cancel()
	t.quiet.Reset(t.provider.cfg.KeepAlive)
	return t.conn.SendJSON(limited, what)
}

// expect starts the clock of the oldest pause, if the server knows of one.
func (t *talk) expect() {
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

// overdue gives up the rest of an utterance of which some text came, and the server
// otherwise.
func (t *talk) overdue(ctx context.Context) error {
	left := t.provider.cfg.Timeout - time.Since(t.since)
	switch {
	case t.speech.partly():
		return t.answer(ctx)
	case left > 0:
		t.due.Reset(left)
		return nil
	}
	return &fault.Error{Kind: fault.Timeout, Provider: t.endpoint.Provider, Err: errSilent}
}

// answer gives the reader all text before the oldest pause, and answers others that are
// complete with that.
func (t *talk) answer(ctx context.Context) error {
	for more := true; more; more = t.speech.complete(false) {
		t.speech.answer()
		if err := t.tell(ctx, stt.Event{Text: t.text.take(), Final: true}); err != nil {
			return err
		}
	}
	t.since = time.Time{}
	t.expect()
	return nil
}

func (t *talk) tell(ctx context.Context, event stt.Event) error {
	if !t.emit(event) {
		return ctx.Err()
	}
	return nil
}

// take understands a message.
func (t *talk) take(ctx context.Context, m message) error {
	switch m.Type {
	case typeResults:
		return t.result(ctx, m)
	case typeUtteranceEnd:
		return t.utteranceOver(ctx)
	case typeError:
		kind := fault.Unavailable
		if strings.Contains(m.complaint(), "DATA-") { // our sound is none to them
			kind = fault.Refused
		}
		return fault.New(kind, t.endpoint.Provider, m.complaint())
	}
	return nil
}

func (t *talk) result(ctx context.Context, m message) error {
	text, err := m.transcript()
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
	news := t.speech.settle(m.end())
	if news {
		t.attempts = 0
	}
	if t.speech.complete(m.FromFinalize && news) {
		return t.answer(ctx)
	}
	if m.SpeechFinal {
		return t.utteranceOver(ctx)
	}
	return nil
}

// utteranceOver makes an event of what the server takes for complete, while the caller has
// not noticed a pause yet. When it has, it is answered with everything before that.
func (t *talk) utteranceOver(ctx context.Context) error {
	if waits, _ := t.speech.paused(); waits {
		return nil
	}
	if text := t.text.take(); text != "" {
		return t.tell(ctx, stt.Event{Text: text, Final: true})
	}
	return nil
}
