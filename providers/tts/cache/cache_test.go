package cache_test

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/cache"
	"github.com/callwright/callwright/providers/tts/flite"
	"github.com/callwright/callwright/providers/tts/ttstest"
	"github.com/callwright/callwright/voice/audio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// voice speaks two chunks of 100 samples, the second when it may, and counts.
type voice struct {
	asked, ended atomic.Int64
	second       chan struct{} // nil: at once
	err          error         // instead of the second
}

func (v *voice) Name() string { return "voice" }

func (v *voice) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		v.asked.Add(1)
		defer v.ended.Add(1)
		if !yield(make([]int16, 100), nil) {
			return
		}
		if v.second != nil {
			select {
			case <-v.second:
			case <-ctx.Done():
				yield(nil, fault.FromNet("voice", ctx.Err()))
				return
			}
		}
		if v.err != nil {
			yield(nil, v.err)
			return
		}
		yield(make([]int16, 100), nil)
	}
}

func hear(t *testing.T, p tts.Provider, text string) {
	t.Helper()
	sound, err := ttstest.Collect(t.Context(), p, tts.Request{Text: text})
	require.NoError(t, err)
	require.Len(t, sound, 200)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	ttstest.Run(t, cache.New(flite.New(flite.Config{}), 1<<20), tts.Request{Text: "Good morning, dear customer."})
}

func TestASecondListenerIsServedFromMemory(t *testing.T) {
	t.Parallel()
	v := &voice{}
	p := cache.New(v, 1<<20)
	require.NoError(t, p.Warm(t.Context(), tts.Request{Text: "a"}))
	hear(t, p, "a")
	hear(t, p, "a")
	require.EqualValues(t, 1, v.asked.Load())
	for _, other := range []tts.Request{{Text: "a", Voice: "x"}, {Text: "a", Model: "x"}, {Text: "a", Language: "x"}} {
		require.NoError(t, p.Warm(t.Context(), other))
	}
	require.EqualValues(t, 4, v.asked.Load())
}

func TestBandsAreKeptApart(t *testing.T) {
	t.Parallel()
	v := &voice{}
	p := cache.New(v, 1<<20)
	narrow, wide := tts.Request{Text: "a"}, tts.Request{Text: "a", Band: audio.Wide}
	require.NoError(t, p.Warm(t.Context(), narrow))
	sound, err := ttstest.Collect(t.Context(), p, wide)
	require.NoError(t, err)
	require.Len(t, sound, 400, "it lasts as long as what is kept")
	require.EqualValues(t, 1, v.asked.Load())
	require.NoError(t, p.Warm(t.Context(), wide))
	require.EqualValues(t, 2, v.asked.Load())
	for _, req := range []tts.Request{narrow, wide} {
		sound, err = ttstest.Collect(t.Context(), p, req)
		require.NoError(t, err)
		require.Len(t, sound, 200, "what was made for it")
	}
	require.EqualValues(t, 2, v.asked.Load())
}

func TestWhatWasUsedLongestAgoGoes(t *testing.T) {
	t.Parallel()
	v := &voice{}
	p := cache.New(v, 2*401) // two entries: 400 bytes of sound, and the text
	hear(t, p, "a")
	hear(t, p, "b")
	hear(t, p, "a")
	hear(t, p, "c")
	require.EqualValues(t, 3, v.asked.Load())
	hear(t, p, "a")
	hear(t, p, "c")
	require.EqualValues(t, 3, v.asked.Load())
	hear(t, p, "b")
	require.EqualValues(t, 4, v.asked.Load())
}

func TestWhatWasWarmedStays(t *testing.T) {
	t.Parallel()
	v := &voice{}
	p := cache.New(v, 3*401)
	hear(t, p, "b")
	for _, text := range []string{"a", "b"} {
		require.NoError(t, p.Warm(t.Context(), tts.Request{Text: text}))
	}
	for _, reply := range []string{"c", "d", "e"} {
		hear(t, p, reply)
	}
	require.EqualValues(t, 5, v.asked.Load())
	for _, text := range []string{"a", "b", "e"} {
		hear(t, p, text)
	}
	require.EqualValues(t, 5, v.asked.Load())
	for _, text := range []string{"f", "g"} { // the room is too small for all that is fixed
		require.NoError(t, p.Warm(t.Context(), tts.Request{Text: text}))
	}
	hear(t, p, "b")
	require.EqualValues(t, 7, v.asked.Load())
	hear(t, p, "a")
	require.EqualValues(t, 8, v.asked.Load())
}

func TestAFlightThatIsWarmedMeanwhileStays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &voice{second: make(chan struct{})}
		p := cache.New(v, 401)
		var listeners sync.WaitGroup
		listeners.Go(func() { hear(t, p, "a") })
		synctest.Wait()
		listeners.Go(func() { require.NoError(t, p.Warm(t.Context(), tts.Request{Text: "a"})) })
		synctest.Wait()
		close(v.second)
		listeners.Wait()
		hear(t, p, "b")
		hear(t, p, "a")
		require.EqualValues(t, 2, v.asked.Load())
	})
}

func TestWhatIsTooLargeIsNotKept(t *testing.T) {
	t.Parallel()
	v := &voice{}
	p := cache.New(v, 400)
	hear(t, p, "a")
	hear(t, p, "a")
	require.EqualValues(t, 2, v.asked.Load())
}

func TestFailuresAreNotKept(t *testing.T) {
	t.Parallel()
	v := &voice{err: fault.New(fault.Unavailable, "voice", "busy")}
	p := cache.New(v, 1<<20)
	for range 2 {
		sound, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "a"})
		require.ErrorIs(t, err, v.err)
		require.Len(t, sound, 100)
		require.Error(t, p.Warm(t.Context(), tts.Request{Text: "b"}))
	}
	require.EqualValues(t, 4, v.asked.Load())
}

// dumb makes no sound the first time.
type dumb struct{ voice }

func (d *dumb) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	if d.asked.Load() == 0 {
		d.asked.Add(1)
		return func(func([]int16, error) bool) {}
	}
	return d.voice.Speak(ctx, req)
}

func TestSilenceIsNotKept(t *testing.T) {
	t.Parallel()
	p := cache.New(&dumb{}, 10_000)
	sound, err := ttstest.Collect(t.Context(), p, tts.Request{Text: "a"})
	require.NoError(t, err)
	require.Empty(t, sound)
	hear(t, p, "a")
}

func TestListenersShareOneSynthesis(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &voice{second: make(chan struct{})}
		p := cache.New(v, 1<<20)
		first, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := ttstest.Collect(first, p, tts.Request{Text: "a"})
			left <- err
		}()
		synctest.Wait()
		heard := make(chan int, 1)
		go func() {
			sound, _ := ttstest.Collect(t.Context(), p, tts.Request{Text: "a"})
			heard <- len(sound)
		}()
		synctest.Wait()
		leave()
		require.ErrorIs(t, <-left, context.Canceled)
		close(v.second)
		require.Equal(t, 200, <-heard)
		require.EqualValues(t, 1, v.asked.Load())
	})
}

func TestWhenAllHaveLeftItEndsAndIsNotKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &voice{second: make(chan struct{})}
		p := cache.New(v, 1<<20)
		for _, err := range p.Speak(t.Context(), tts.Request{Text: "a"}) {
			require.NoError(t, err)
			break
		}
		synctest.Wait()
		require.EqualValues(t, 1, v.ended.Load())
		close(v.second)
		hear(t, p, "a")
		require.EqualValues(t, 2, v.asked.Load())
	})
}

// relay speaks with its voice, or, while that is away, with a stand-in's.
type relay struct {
	*voice
	away bool
}

func (r *relay) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	served.Tell(ctx, served.TTS, served.By{Vendor: "relay", StandIn: r.away})
	return r.voice.Speak(ctx, req)
}

func TestEachListenerIsToldWhoSpoke(t *testing.T) {
	t.Parallel()
	r := &relay{voice: &voice{}}
	p := cache.New(r, 1<<20)
	for _, away := range []bool{true, false, false} { // by a stand-in, by the voice, from memory
		r.away = away
		var told []served.By
		ctx := served.Report(t.Context(), func(_ served.Family, by served.By) { told = append(told, by) })
		for _, err := range p.Speak(ctx, tts.Request{Text: "Hello."}) {
			require.NoError(t, err)
		}
		require.Equal(t, []served.By{{Vendor: "relay", StandIn: away}}, told)
	}
	require.EqualValues(t, 2, r.asked.Load())
}

func TestTheSoundOfAStandInIsNotKept(t *testing.T) {
	t.Parallel()
	r := &relay{voice: &voice{}, away: true}
	p := cache.New(r, 1<<20)
	hear(t, p, "Hello.")
	hear(t, p, "Hello.")
	require.EqualValues(t, 2, r.asked.Load())
	r.away = false
	hear(t, p, "Hello.")
	hear(t, p, "Hello.")
	require.EqualValues(t, 3, r.asked.Load())
}

// Fixed texts begin at once also while their voice is away: what stood in for it is kept until it is back.
func TestAStandInsFixedTextsAreKeptUntilTheVoiceIsBack(t *testing.T) {
	t.Parallel()
	r := &relay{voice: &voice{}, away: true}
	p := cache.New(r, 1<<20)
	warmed := func(asked int) {
		require.NoError(t, p.Warm(t.Context(), tts.Request{Text: "Hello."}))
		hear(t, p, "Hello.")
		require.EqualValues(t, asked, r.asked.Load())
	}
	warmed(1)
	warmed(2) // it may be back
	r.away = false
	warmed(3)
	warmed(3)
	var told []served.By
	ctx := served.Report(t.Context(), func(_ served.Family, by served.By) { told = append(told, by) })
	for _, err := range p.Speak(ctx, tts.Request{Text: "Hello."}) {
		require.NoError(t, err)
	}
	require.Equal(t, []served.By{{Vendor: "relay"}}, told)
}
