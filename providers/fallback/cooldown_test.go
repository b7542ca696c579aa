package fallback_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fallback"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/llm/llmtest"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/stt/stttest"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/flite"
	"github.com/callwright/callwright/providers/tts/ttstest"
)

// Each failure behind a cooldown doubles the next one, up to five minutes, and a reply ends it.
func TestCooldownsGrow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, second := failing(fault.Timeout), &model{name: "second", words: []string{"a"}}
		p := fallback.LLM(discard, first, second)
		ask := func() int {
			_, _, err := llmtest.Ask(t.Context(), p, llm.Request{})
			require.NoError(t, err)
			return len(first.asked)
		}
		asked := 1
		for _, seconds := range []int{30, 60, 120, 240, 300, 300} {
			require.Equal(t, asked, ask())
			time.Sleep(time.Duration(seconds-1) * time.Second)
			require.Equal(t, asked, ask(), "before the end of %d s", seconds)
			time.Sleep(2 * time.Second)
			asked++
		}
		first.words, first.err = []string{"back"}, nil
		for range 3 {
			require.Equal(t, asked, ask())
			asked++
		}
		first.words, first.err = nil, fault.New(fault.Timeout, "first", "")
		require.Equal(t, asked, ask())
		time.Sleep(31 * time.Second)
		require.Equal(t, asked+1, ask(), "the first cooldown again")
	})
}

// patchy is a voice that hangs for as long as it is told to.
type patchy struct {
	tts.Provider
	hangs bool
	asked int
}

func (v *patchy) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	v.asked++
	if v.hangs {
		return hanging{}.Speak(ctx, req)
	}
	return v.Provider.Speak(ctx, req)
}

// Of those who speak at once behind a cooldown one waits for the voice that hung. Those who had waited for it together when it
// began made the cooldown no longer.
func TestOneProbeAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		local := flite.New(flite.Config{})
		first := &patchy{Provider: local, hangs: true}
		chain := fallback.TTS(discard, first, local)
		waits := func() (late int) {
			took := make(chan time.Duration)
			for range 10 {
				go func() {
					begun := time.Now()
					_, err := ttstest.Collect(t.Context(), chain, tts.Request{Text: "Hello."})
					require.NoError(t, err)
					took <- time.Since(begun)
				}()
				synctest.Wait()
			}
			for range 10 {
				if <-took > 0 {
					late++
				}
			}
			return late
		}
		require.Equal(t, 10, waits(), "nobody knows yet")
		require.Equal(t, 0, waits())
		time.Sleep(31 * time.Second)
		require.Equal(t, 1, waits())
		time.Sleep(58 * time.Second)
		require.Equal(t, 0, waits())
		time.Sleep(3 * time.Second)
		first.hangs = false
		before := first.asked
		waits()
		waits()
		require.Equal(t, before+20, first.asked, "the probe has worked")
	})
}

// A recogniser that accepts no call any more is not believed to work because it goes on with those that it had accepted.
func TestWhatBeganBeforeSaysNothing(t *testing.T) {
	t.Parallel()
	first, second := &counter{name: "a"}, &counter{name: "b"}
	chain := fallback.STT(discard, first, second)
	early, err := chain.Open(t.Context(), stt.Options{})
	require.NoError(t, err)
	defer early.Close()
	first.refuse = unavailable("a")
	hear := func(stream stt.Stream, want string) {
		require.NoError(t, stream.Write(stttest.Speech()))
		stream.EndOfSpeech()
		require.Equal(t, want, stttest.Final(t, stream))
	}
	for range 2 {
		stream, err := chain.Open(t.Context(), stt.Options{})
		require.NoError(t, err)
		hear(stream, "b heard 8000")
		require.NoError(t, stream.Close())
		hear(early, "a heard 8000")
	}
	require.Len(t, first.opened, 2, "the second call did not ask it")
}
