// Package captions recognises nothing: it passes on the text that the far end of a call sends beside its audio (RFC
// 4351), as the simulated phone network and gateways with real-time text do. With it a conversation needs no speech
// model, and tests get the exact words.
//
// It knows when such text belongs to speech. It must not know audio: a caller who sends no text is not heard, which is
// logged.
package captions

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/stt"
)

// Name is that of the Provider.
const Name = "captions"

const (
	// grace is how long text may come later than the pause behind the speech.
	grace = 400 * time.Millisecond
	// settle is how long no more text must have come before it counts as complete.
	settle = 60 * time.Millisecond
)

// Provider is an stt.Provider.
type Provider struct {
	logger *slog.Logger
}

// New returns a Provider that logs calls without captions.
func New(logger *slog.Logger) *Provider { return &Provider{logger: logger} }

// Name returns "captions".
func (*Provider) Name() string { return Name }

// Open fails with a fault of kind Unavailable if the call cannot receive captions.
func (p *Provider) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	if o.Captions == nil {
		return nil, fault.New(fault.Unavailable, Name,
			"the call carries no captions; configure a speech recogniser to hear it")
	}
	s := &stream{logger: p.logger, captions: o.Captions, ended: make(chan struct{}, 1)}
	s.Emitter = stt.NewEmitter(ctx, s.run)
	return s, nil
}

type stream struct {
	*stt.Emitter
	logger   *slog.Logger
	captions <-chan string
	ended    chan struct{} // ends was raised
	ends     atomic.Int64  // ends of speech without a final event yet
	speaking atomic.Bool   // audio came since the last one

	// Of the goroutine that runs:
	text  text
	last  time.Time   // when the last caption came; zero: never
	timer *time.Timer // fires when the text counts as complete
	quiet bool        // that nothing was received has been logged
}

func (s *stream) Write([]int16) error {
	s.speaking.Store(true)
	return s.Over()
}

func (s *stream) EndOfSpeech() {
	s.speaking.Store(false)
	s.ends.Add(1)
	select {
	case s.ended <- struct{}{}:
	default: // it was raised already
	}
}

func (s *stream) run(ctx context.Context, emit func(stt.Event) bool) error {
	s.timer = time.NewTimer(grace)
	defer s.timer.Stop()
	s.timer.Stop()
	for {
		alive := true
		select {
		case <-ctx.Done():
			alive = false
		case caption, ok := <-s.captions:
			if alive = s.hear(caption, emit); !ok {
				s.captions = nil
			}
		case <-s.ended:
			s.timer.Reset(s.wait())
		case <-s.timer.C:
			alive = s.finish(emit)
		}
		if !alive {
			return fault.FromNet(Name, ctx.Err())
		}
	}
}

// hear handles a caption from the channel; an empty one if the channel was closed.
func (s *stream) hear(caption string, emit func(stt.Event) bool) bool {
	if caption == "" {
		return true
	}
	s.last = time.Now()
	line := s.text.add(caption)
	if s.ends.Load() > 0 {
		s.timer.Reset(settle)
		return true
	}
	if line && !s.speaking.Load() { // typed, not spoken: no pause follows
		return emit(stt.Event{Text: s.text.take(), Final: true})
	}
	return emit(stt.Event{Text: s.text.String()})
}

// wait returns how long text may still come for speech that has ended.
func (s *stream) wait() time.Duration {
	if s.text.String() == "" {
		return grace
	}
	return max(settle-time.Since(s.last), 0)
}

// finish emits a final event for each end of speech; all but the first are empty.
func (s *stream) finish(emit func(stt.Event) bool) bool {
	for range s.ends.Swap(0) {
		if s.last.IsZero() && !s.quiet {
			s.quiet = true
			s.logger.Warn("speech was not heard: the far end sends no captions and no recogniser is configured")
		}
		if !emit(stt.Event{Text: s.text.take(), Final: true}) {
			return false
		}
	}
	return true
}

// text is the text written so far, by the rules of T.140.
type text struct{ runes []rune }

// add reports whether a line was ended.
func (t *text) add(caption string) (line bool) {
	for _, r := range caption {
		switch r {
		case '\b':
			t.runes = t.runes[:max(len(t.runes)-1, 0)]
		case '\uFEFF': // keeps a quiet line open
		case '\r', '\n', '\u2028', '\u2029':
			line = true
			t.runes = append(t.runes, ' ')
		default:
			t.runes = append(t.runes, r)
		}
	}
	return line
}

func (t *text) String() string { return strings.Join(strings.Fields(string(t.runes)), " ") }

func (t *text) take() string {
	defer func() { t.runes = nil }()
	return t.String()
}
