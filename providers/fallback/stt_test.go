package fallback_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fallback"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/stt/stttest"
)

// ear hears how many samples each stretch of speech had, and fails at its failAt-th.
type ear struct {
	name    string
	failAt  int // 0: never
	failure error
	refuse  error // of Open
	opened  []stt.Options
}

func (e *ear) Name() string { return e.name }

func (e *ear) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	e.opened = append(e.opened, o)
	if e.refuse != nil {
		return nil, e.refuse
	}
	s := &earStream{ear: e, ends: make(chan int, 100)}
	s.Feed = stt.NewFeed(ctx, s.run)
	return s, nil
}

type earStream struct {
	*stt.Feed
	ear     *ear
	mu      sync.Mutex
	samples int
	ends    chan int
}

func (s *earStream) Write(pcm []int16) error {
	s.mu.Lock()
	s.samples += len(pcm)
	s.mu.Unlock()
	return s.Over()
}

func (s *earStream) EndOfSpeech() {
	s.mu.Lock()
	s.ends <- s.samples
	s.samples = 0
	s.mu.Unlock()
}

func (s *earStream) run(ctx context.Context, emit func(stt.Event) bool) error {
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return fault.FromNet(s.ear.name, ctx.Err())
		case samples := <-s.ends:
			if n == s.ear.failAt {
				return s.ear.failure
			}
			text := ""
			if samples > 0 {
				text = fmt.Sprintf("%s heard %d", s.ear.name, samples)
			}
			if !emit(stt.Event{Text: text, Final: true}) {
				return fault.FromNet(s.ear.name, ctx.Err())
			}
		}
	}
}

func unavailable(name string) error { return fault.New(fault.Unavailable, name, "as told") }

func TestSTTConformance(t *testing.T) {
	t.Parallel()
	stttest.Run(t, stttest.Subject{
		Provider: fallback.STT(discard, &ear{name: "a", failAt: 1, failure: unavailable("a")}, &ear{name: "b"}),
		Words:    "b heard 8000",
		Speak:    func() (stt.Options, func()) { return stt.Options{}, nil },
	})
}

func TestTheNextHearsItAgain(t *testing.T) {
	t.Parallel()
	first, second := &ear{name: "a", failAt: 2, failure: unavailable("a")}, &ear{name: "b"}
	stream, err := fallback.STT(discard, first, second).Open(t.Context(), stt.Options{Model: "of a"})
	require.NoError(t, err)
	defer stream.Close()
	for i, want := range []string{"a heard 8000", "b heard 8001", "b heard 8002"} {
		require.NoError(t, stream.Write(stttest.Speech()))
		require.NoError(t, stream.Write(make([]int16, i)))
		stream.EndOfSpeech()
		require.Equal(t, want, stttest.Final(t, stream))
	}
	require.Equal(t, "of a", first.opened[0].Model)
	require.Empty(t, second.opened[0].Model)
}

// live makes everything that it hears final at once, and fails at the first pause.
type live struct{}

func (live) Name() string { return "live" }

func (live) Open(ctx context.Context, _ stt.Options) (stt.Stream, error) {
	s := &liveStream{heard: make(chan int, 100)}
	s.Feed = stt.NewFeed(ctx, s.run)
	return s, nil
}

type liveStream struct {
	*stt.Feed
	heard chan int // samples; 0: a pause
}

func (s *liveStream) Write(pcm []int16) error {
	s.heard <- len(pcm)
	return s.Over()
}

func (s *liveStream) EndOfSpeech() { s.heard <- 0 }

func (s *liveStream) run(ctx context.Context, emit func(stt.Event) bool) error {
	for {
		select {
		case <-ctx.Done():
			return fault.FromNet("live", ctx.Err())
		case samples := <-s.heard:
			if samples == 0 {
				return unavailable("live")
			}
			if !emit(stt.Event{Text: fmt.Sprintf("live heard %d", samples), Final: true}) {
				return fault.FromNet("live", ctx.Err())
			}
		}
	}
}

func TestWhatWasFinalBeforeItsPauseIsNotHeardAgain(t *testing.T) {
	t.Parallel()
	stream, err := fallback.STT(discard, live{}, &ear{name: "b"}).Open(t.Context(), stt.Options{})
	require.NoError(t, err)
	defer stream.Close()
	require.NoError(t, stream.Write(make([]int16, 100)))
	require.Equal(t, "live heard 100", stttest.Final(t, stream))
	stream.EndOfSpeech()
	require.Empty(t, stttest.Final(t, stream)) // by b, which did not hear those words
	require.NoError(t, stream.Write(make([]int16, 50)))
	stream.EndOfSpeech()
	require.Equal(t, "b heard 50", stttest.Final(t, stream))
}

func TestARecogniserThatDoesNotOpen(t *testing.T) {
	t.Parallel()
	second := &ear{name: "b"}
	stream, err := fallback.STT(discard, &ear{name: "a", refuse: unavailable("a")}, second).Open(t.Context(), stt.Options{})
	require.NoError(t, err)
	require.NoError(t, stream.Close())
	refused := fault.New(fault.Refused, "a", "")
	_, err = fallback.STT(discard, &ear{name: "a", refuse: refused}, second).Open(t.Context(), stt.Options{})
	require.ErrorIs(t, err, refused)
	_, err = fallback.STT(discard, &ear{name: "a", refuse: unavailable("a")}, &ear{name: "b", refuse: unavailable("b")}).
		Open(t.Context(), stt.Options{})
	require.ErrorContains(t, err, "b: unavailable")
}

func TestRecognisersThatAllBreakOff(t *testing.T) {
	t.Parallel()
	first := &ear{name: "a", failAt: 1, failure: unavailable("a")}
	second := &ear{name: "b", failAt: 1, failure: unavailable("b")}
	stream, err := fallback.STT(discard, first, second).Open(t.Context(), stt.Options{})
	require.NoError(t, err)
	defer stream.Close()
	require.NoError(t, stream.Write(stttest.Speech()))
	stream.EndOfSpeech()
	stttest.Over(t, stream)
	require.ErrorIs(t, stream.Err(), second.failure)
	require.Len(t, first.opened, 1)
	require.Len(t, second.opened, 1)
}

func TestARecogniserThatRefuses(t *testing.T) {
	t.Parallel()
	refused := fault.New(fault.Refused, "a", "")
	second := &ear{name: "b"}
	stream, err := fallback.STT(discard, &ear{name: "a", failAt: 1, failure: refused}, second).Open(t.Context(), stt.Options{})
	require.NoError(t, err)
	defer stream.Close()
	stream.EndOfSpeech()
	stttest.Over(t, stream)
	require.ErrorIs(t, stream.Err(), refused)
	require.Empty(t, second.opened)
}

func TestOnlySoMuchIsHeardAgain(t *testing.T) {
	t.Parallel()
	first := &ear{name: "a", failAt: 1, failure: unavailable("a")}
	stream, err := fallback.STT(discard, first, &ear{name: "b"}).Open(t.Context(), stt.Options{})
	require.NoError(t, err)
	defer stream.Close()
	for range 125 {
		require.NoError(t, stream.Write(stttest.Speech()))
	}
	stream.EndOfSpeech()
	require.Equal(t, "b heard 960000", stttest.Final(t, stream))
}
