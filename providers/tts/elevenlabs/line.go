package elevenlabs

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/socket"
)

const maxWaiting = 4 // messages that were received and not taken

// line is a connection, for one utterance at a time. A goroutine receives, so that the
// server gets its pongs, and its close is noticed, while nothing is said.
type line struct {
	address    string
	conn       *socket.Conn
	deliveries chan delivery
	leave      context.CancelFunc
	receiving  sync.WaitGroup
	utterances int
	expiry     *time.Timer // while it is in the pool
}

// delivery is a message, or why no more will come.
type delivery struct {
	message message
	err     error
}

func newLine(address string, conn *socket.Conn) *line {
	ctx, cancel := context.WithCancel(context.Background())
	l := &line{address: address, conn: conn, deliveries: make(chan delivery, maxWaiting), leave: cancel}
	l.receiving.Go(func() { l.receive(ctx) })
	return l
}

func (l *line) receive(ctx context.Context) {
	for {
		var next delivery
		data, err := l.conn.Receive(ctx)
		if err == nil {
			if broken := json.Unmarshal(data, &next.message); broken != nil {
				err = l.conn.Garbled(broken)
			}
		}
		next.err = err
		select {
		case l.deliveries <- next:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// close ends the connection, and what the server still makes.
func (l *line) close() {
	l.conn.Leave(order{CloseSocket: true})
	l.leave()
	l.receiving.Wait()
}

// say asks for the sound of a text, which can be read then.
func (l *line) say(a *asking) (*utterance, error) {
	l.utterances++
	cfg := a.provider.cfg
	u := &utterance{
		ctx: a.ctx, line: l, cfg: cfg, id: strconv.Itoa(l.utterances), allowed: cfg.FirstSound - time.Since(a.since),
		wordless: !strings.ContainsFunc(a.text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }),
		left:     2 * a.band.Rate() * (10 + utf8.RuneCountInString(a.text)/2), // half a second a letter, and 10 s
	}
	limited, cancel := context.WithTimeout(a.ctx, u.allowed)
	defer cancel()
	for _, order := range utteranceOrders(u.id, a.text) {
		if err := l.conn.SendJSON(limited, order); err != nil {
			return nil, u.failure(err)
		}
	}
	return u, nil
}

// utterance is the sound of one text while it arrives. Its errors are *fault.Error unless
// ctx was cancelled, io.EOF excepted.
type utterance struct {
	ctx      context.Context
	line     *line
	cfg      Config
	id       string
	wordless bool          // nothing needs to be heard of it
	allowed  time.Duration // for the next sound
	left     int           // bytes that may still come
	sound    []byte        // that was not read
	begun    bool
	over     bool
}

// Read lets the server's time run only while it waits for sound, and not while a listener
// takes it in.
func (u *utterance) Read(p []byte) (int, error) {
	if len(u.sound) == 0 && !u.over {
		if err := u.wait(); err != nil {
			return 0, err
		}
	}
	if len(u.sound) == 0 {
		if !u.begun && !u.wordless {
			return 0, &fault.Error{Kind: fault.Unavailable, Provider: u.cfg.Name, Err: errNoSound}
		}
		return 0, io.EOF
	}
	n := copy(p, u.sound)
	u.sound = u.sound[n:]
	return n, nil
}

// wait is over when there is sound, or there will be none.
func (u *utterance) wait() error {
	clock := time.NewTimer(u.allowed)
	defer clock.Stop()
	for len(u.sound) == 0 && !u.over {
		select {
		case next := <-u.line.deliveries:
			if next.err != nil {
				return u.failure(next.err)
			}
			if err := u.take(next.message); err != nil {
				return err
			}
		case <-u.ctx.Done():
			return fault.FromNet(u.cfg.Name, u.ctx.Err())
		case <-clock.C:
			return &fault.Error{Kind: fault.Timeout, Provider: u.cfg.Name, Err: errTooSlow}
		}
	}
	if len(u.sound) > 0 {
		u.begun, u.allowed = true, u.cfg.Idle
	}
	return nil
}

func (u *utterance) take(m message) error {
	if !m.of(u.id) {
		return nil
	}
	if complaint := m.complaint(); complaint != "" {
		return fault.New(m.kind(), u.cfg.Name, complaint)
	}
	if u.left -= len(m.Audio); u.left < 0 {
		return &fault.Error{Kind: fault.Unavailable, Provider: u.cfg.Name, Err: errTooLarge}
	}
	u.sound, u.over = m.Audio, m.last()
	return nil
}

// failure is what the end of the connection means: some closes have our account as their
// reason.
func (u *utterance) failure(err error) error {
	if u.ctx.Err() != nil { // a connection ends with the context of what is being sent on it
		return fault.FromNet(u.cfg.Name, u.ctx.Err())
	}
	known, ok := errors.AsType[*fault.Error](err)
	if !ok || known.Kind != fault.Refused {
		return err
	}
	better := *known
	better.Kind = blame(known.Message, known.Kind)
	return &better
}
