package fallback_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fallback"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/stt/stttest"
)

// counter transcribes each stretch of speech as its number of samples, and fails at the failAt-th.
type counter struct {
	name    string
	failAt  int // 0: never
	failure error
	refuse  error // of Open
	opened  []stt.Options
}

func (e *counter) Name() string { return e.name }

func (e *counter) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	e.opened = append(e.opened, o)
	if e.refuse != nil {
		return nil, e.refuse
	}
	s := &counterStream{counter: e, ends: make(chan int, 100)}
	s.Emitter = stt.NewEmitter(ctx, s.run)
	return s, nil
}

type counterStream struct {
	*stt.Emitter
	counter *counter
	mu      sync.Mutex
	samples int
	ends    chan int
}

func (s *counterStream) Write(pcm []int16) error {
	s.mu.Lock()
	s.samples += len(pcm)
	s.mu.Unlock()
	return s.Over()
}

func (s *counterStream) EndOfSpeech() {
	s.mu.Lock()
	s.ends <- s.samples
	s.samples = 0
	s.mu.Unlock()
}

func (s *counterStream) run(ctx context.Context, emit func(stt.Event) bool) error {
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return fault.FromNet(s.counter.name, ctx.Err())
		case samples := <-s.ends:
			if n == s.counter.failAt {
				return s.counter.failure
			}
			text := ""
			if samples > 0 {
				text = fmt.Sprintf("%s heard %d", s.counter.name, samples)
			}
			if !emit(stt.Event{Text: text, Final: true}) {
				return fault.FromNet(s.counter.name, ctx.Err())
			}
		}
	}
}

func unavailable(name string) error { return fault.New(fault.Unavailable, name, "as told") }

func TestSTTConformance(t *testing.T) {
	t.Parallel()
	stttest.Run(t, stttest.Subject{
		Provider: fallback.STT(discard, &counter{name: "a", failAt: 1, failure: unavailable("a")}, &counter{name: "b"}),
		Words:    "b heard 8000",
		Speak:    func() (stt.Options, func()) { return stt.Options{}, nil },
	})
}

func TestTheNextHearsItAgain(t *testing.T) {
	t.Parallel()
	first, second := &counter{name: "a", failAt: 2, failure: unavailable("a")}, &counter{name: "b"}
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

// live makes everything final at once, and fails at the first pause.
type live struct{}

func (live) Name() string { return "live" }

func (live) Open(ctx context.Context, _ stt.Options) (stt.Stream, error) {
	s := &liveStream{heard: make(chan int, 100)}
	s.Emitter = stt.NewEmitter(ctx, s.run)
	return s, nil
}

type liveStream struct {
	*stt.Emitter
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
	stream, err := fallback.STT(discard, live{}, &counter{name: "b"}).Open(t.Context(), stt.Options{})
	require.NoError(t, err)
	defer stream.Close()
	require.NoError(t, stream.Write(make([]int16, 100)))
	require.Equal(t, "live heard 100", stttest.Final(t, stream))
	stream.EndOfSpeech()
	require.Empty(t, stttest.Final(t, stream)) // by b, which did not get those words
	require.NoError(t, stream.Write(make([]int16, 50)))
	stream.EndOfSpeech()
	require.Equal(t, "b heard 50", stttest.Final(t, stream))
}

func TestARecogniserThatDoesNotOpen(t *testing.T) {
	t.Parallel()
	second := &counter{name: "b"}
	stream, err := fallback.STT(discard, &counter{name: "a", refuse: unavailable("a")}, second).Open(t.Context(), stt.Options{})
	require.NoError(t, err)
	require.NoError(t, stream.Close())
	refused := fault.New(fault.Refused, "a", "")
	_, err = fallback.STT(discard, &counter{name: "a", refuse: refused}, second).Open(t.Context(), stt.Options{})
	require.ErrorIs(t, err, refused)
	_, err = fallback.STT(discard, &counter{name: "a", refuse: unavailable("a")}, &counter{name: "b", refuse: unavailable("b")}).
		Open(t.Context(), stt.Options{})
	require.ErrorContains(t, err, "b: unavailable")
}

func TestRecognisersThatAllBreakOff(t *testing.T) {
	t.Parallel()
	first := &counter{name: "a", failAt: 1, failure: unavailable("a")}
	second := &counter{name: "b", failAt: 1, failure: unavailable("b")}
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
	second := &counter{name: "b"}
	stream, err := fallback.STT(discard, &counter{name: "a", failAt: 1, failure: refused}, second).Open(t.Context(), stt.Options{})
	require.NoError(t, err)
	defer stream.Close()
	stream.EndOfSpeech()
	stttest.Over(t, stream)
	require.ErrorIs(t, stream.Err(), refused)
	require.Empty(t, second.opened)
}

func TestOnlySoMuchIsHeardAgain(t *testing.T) {
	t.Parallel()
	first := &counter{name: "a", failAt: 1, failure: unavailable("a")}
	stream, err := fallback.STT(discard, first, &counter{name: "b"}).Open(t.Context(), stt.Options{})
	require.NoError(t, err)
	defer stream.Close()
	for range 125 {
		require.NoError(t, stream.Write(stttest.Speech()))
	}
	stream.EndOfSpeech()
	require.Equal(t, "b heard 960000", stttest.Final(t, stream))
}

// unanswered is a recogniser that accepts no call and refuses none.
type unanswered struct{}

func (unanswered) Name() string { return "unanswered" }

func (unanswered) Open(ctx context.Context, _ stt.Options) (stt.Stream, error) {
	<-ctx.Done()
	return nil, fault.FromNet("unanswered", ctx.Err())
}

func TestARecogniserThatHangsAsItOpensIsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		chain := fallback.STT(discard, unanswered{}, &counter{name: "b"})
		for range 2 { // the second time it is not asked again at once
			stream, err := chain.Open(t.Context(), stt.Options{})
			require.NoError(t, err)
			require.Equal(t, 2500*time.Millisecond, time.Since(begun))
			require.NoError(t, stream.Write(make([]int16, 50)))
			stream.EndOfSpeech()
			require.Equal(t, "b heard 50", stttest.Final(t, stream))
			require.NoError(t, stream.Close())
		}
	})
}

// wordless is a recogniser that takes speech and returns no words.
type wordless struct{}

func (wordless) Name() string { return "wordless" }

func (wordless) Open(ctx context.Context, _ stt.Options) (stt.Stream, error) {
	s := &counterStream{counter: &counter{name: "wordless"}, ends: make(chan int, 100)}
	s.Emitter = stt.NewEmitter(ctx, func(ctx context.Context, _ func(stt.Event) bool) error {
		<-ctx.Done()
		return nil
	})
	return s, nil
}

// Each half second between its limit and when it is left is one more of silence.
func TestARecogniserThatOwesWordsIsLeftWhenItsTimeIsOver(t *testing.T) {
	t.Parallel()
	for _, pause := range []time.Duration{0, 700 * time.Millisecond, 3 * time.Second, 4100 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			stream, err := fallback.STT(discard, wordless{}, &counter{name: "b"}).Open(t.Context(), stt.Options{})
			require.NoError(t, err)
			defer stream.Close()
			time.Sleep(pause)
			require.NoError(t, stream.Write(make([]int16, 50)))
			ended := time.Now()
			stream.EndOfSpeech()
			require.Equal(t, "b heard 50", stttest.Final(t, stream))
			require.Equal(t, 2400*time.Millisecond, time.Since(ended))
		})
	}
}
