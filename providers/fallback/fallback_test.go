package fallback_test

import (
	"context"
	"iter"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fallback"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/llm/llmtest"
	"github.com/callwright/callwright/providers/llm/scripted"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/flite"
	"github.com/callwright/callwright/providers/tts/ttstest"
	"github.com/callwright/callwright/voice/voicetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var discard = slog.New(slog.DiscardHandler)

// model streams words, then fails or ends, and records its requests.
type model struct {
	name  string
	words []string
	err   error
	asked []llm.Request
}

func (m *model) Name() string { return m.name }

func (m *model) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		m.asked = append(m.asked, req)
		for _, word := range m.words {
			if !yield(llm.Delta{Text: word}, nil) {
				return
			}
		}
		yield(llm.Delta{Finish: llm.FinishStop}, m.err)
	}
}

func failing(kind fault.Kind) *model {
	return &model{name: string(kind), err: fault.New(kind, string(kind), "as told")}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	llmtest.Run(t, fallback.LLM(discard, failing(fault.Unavailable), scripted.New()),
		llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hello"}}})
	ttstest.Run(t, fallback.TTS(discard, mute{}, flite.New(flite.Config{})), tts.Request{Text: "Good morning, dear customer."})
}

func TestTheNextIsAsked(t *testing.T) {
	t.Parallel()
	for _, kind := range []fault.Kind{fault.Unavailable, fault.Timeout, fault.Denied} {
		first, second := failing(kind), &model{name: "second", words: []string{"a", "b"}}
		p := fallback.LLM(discard, first, second)
		require.Equal(t, string(kind)+",second", p.Name())
		text, last, err := llmtest.Ask(t.Context(), p, llm.Request{Model: "of the first"})
		require.NoError(t, err)
		require.Equal(t, "ab", text)
		require.Equal(t, llm.FinishStop, last.Finish)
		require.Equal(t, "of the first", first.asked[0].Model)
		require.Empty(t, second.asked[0].Model)
	}
}

func TestTheNextIsNotAsked(t *testing.T) {
	t.Parallel()
	spoken := failing(fault.Unavailable)
	spoken.words = []string{"half a"}
	cancelled := &model{name: "cancelled", err: context.Canceled}
	for _, first := range []*model{failing(fault.Refused), spoken, cancelled} {
		second := &model{name: "second", words: []string{"a"}}
		_, _, err := llmtest.Ask(t.Context(), fallback.LLM(discard, first, second), llm.Request{})
		require.ErrorIs(t, err, first.err)
		require.Empty(t, second.asked)
	}
}

func TestAllFail(t *testing.T) {
	t.Parallel()
	first, second := failing(fault.Unavailable), failing(fault.Denied)
	_, _, err := llmtest.Ask(t.Context(), fallback.LLM(discard, first, second), llm.Request{})
	require.ErrorIs(t, err, second.err)
}

func TestOneAloneIsItself(t *testing.T) {
	t.Parallel()
	require.Equal(t, failing(fault.Refused).Name(), fallback.LLM(discard, failing(fault.Refused)).Name())
	only := fallback.LLM(discard, &model{name: "only", words: []string{"a", "b"}})
	ctx, told := reported(t)
	text, _, err := llmtest.Ask(ctx, only, llm.Request{})
	require.NoError(t, err)
	require.Equal(t, "ab", text)
	require.Equal(t, []served.By{{Vendor: "only"}}, *told)
}

// reported returns a context, and who served requests with it.
func reported(t *testing.T) (context.Context, *[]served.By) {
	t.Helper()
	told := &[]served.By{}
	return served.Report(t.Context(), func(_ served.Family, by served.By) { *told = append(*told, by) }), told
}

func TestAFailedProviderRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, second := failing(fault.Unavailable), &model{name: "second", words: []string{"a"}}
		p := fallback.LLM(discard, first, second)
		ask := func(wantFirst, wantSecond int) {
			_, _, err := llmtest.Ask(t.Context(), p, llm.Request{})
			require.NoError(t, err)
			require.Len(t, first.asked, wantFirst)
			require.Len(t, second.asked, wantSecond)
		}
		ask(1, 1)
		ask(1, 2)
		time.Sleep(31 * time.Second)
		first.err = &fault.Error{Kind: fault.Unavailable, Provider: "first", RetryAfter: time.Minute}
		ask(2, 3)
		time.Sleep(50 * time.Second)
		ask(2, 4)
		time.Sleep(11 * time.Second)
		ask(3, 5)
	})
}

func TestRestingProvidersAreAskedLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, second := failing(fault.Unavailable), &model{name: "second", words: []string{"a"}}
		p := fallback.LLM(discard, first, second)
		_, _, err := llmtest.Ask(t.Context(), p, llm.Request{})
		require.NoError(t, err)
		second.words, second.err = nil, fault.New(fault.Timeout, "second", "")
		first.words, first.err = []string{"again"}, nil
		text, _, err := llmtest.Ask(t.Context(), p, llm.Request{})
		require.NoError(t, err)
		require.Equal(t, "again", text)
	})
}

// mute never speaks.
type mute struct{}

func (mute) Name() string { return "mute" }

func (mute) Speak(ctx context.Context, _ tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		if ctx.Err() != nil {
			yield(nil, fault.FromNet("mute", ctx.Err()))
			return
		}
		yield(nil, fault.New(fault.Unavailable, "mute", ""))
	}
}

// voice records the requests that reach it.
type voice struct {
	tts.Provider
	asked []tts.Request
}

func (v *voice) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	v.asked = append(v.asked, req)
	return v.Provider.Speak(ctx, req)
}

func TestVoicesAreNotSharedBetweenVendors(t *testing.T) {
	t.Parallel()
	second := &voice{Provider: flite.New(flite.Config{})}
	_, err := ttstest.Collect(t.Context(), fallback.TTS(discard, mute{}, second),
		tts.Request{Text: "a", Voice: "of mute", Model: "of mute", Language: "nl"})
	require.NoError(t, err)
	require.Equal(t, []tts.Request{{Text: "a", Language: "nl"}}, second.asked)
}

// silent speaks without a sound.
type silent struct{ mute }

func (silent) Speak(context.Context, tts.Request) iter.Seq2[[]int16, error] {
	return func(func([]int16, error) bool) {}
}

func TestASilentVoiceIsStoodInFor(t *testing.T) {
	t.Parallel()
	second := &voice{Provider: flite.New(flite.Config{})}
	chain := fallback.TTS(discard, silent{}, second)
	sound, err := ttstest.Collect(t.Context(), chain, tts.Request{Text: "Hello."})
	require.NoError(t, err)
	require.NotEmpty(t, sound)
	_, err = ttstest.Collect(t.Context(), fallback.TTS(discard, silent{}, silent{}), tts.Request{Text: "Hello."})
	require.ErrorContains(t, err, "it made no sound")
	_, err = ttstest.Collect(t.Context(), fallback.TTS(discard, silent{}, silent{}), tts.Request{Text: "..."})
	require.NoError(t, err)
}

func TestAStandInIsToldOf(t *testing.T) {
	t.Parallel()
	ctx, told := reported(t)
	_, err := ttstest.Collect(ctx, fallback.TTS(discard, mute{}, flite.New(flite.Config{})), tts.Request{Text: "Hello."})
	require.NoError(t, err)
	_, _, err = llmtest.Ask(ctx, fallback.LLM(discard, failing(fault.Unavailable), &model{name: "second", words: []string{"a"}}),
		llm.Request{})
	require.NoError(t, err)
	require.Equal(t, []served.By{{Vendor: "flite", StandIn: true}, {Vendor: "second", StandIn: true}}, *told)
}

// slow is a model that takes a while to its first word.
type slow struct {
	model
	after time.Duration
}

func (m *slow) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		select {
		case <-time.After(m.after):
		case <-ctx.Done():
			yield(llm.Delta{}, ctx.Err())
			return
		}
		m.model.Stream(ctx, req)(yield)
	}
}

func TestTheFasterModelWins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := &slow{model{name: "first", words: []string{"first"}}, 6 * time.Second}
		second := &slow{model{name: "second", words: []string{"second"}}, time.Second}
		chain := fallback.LLM(discard, first, second)
		begun := time.Now()
		text, _, err := llmtest.Ask(t.Context(), chain, llm.Request{})
		require.NoError(t, err)
		require.Equal(t, "second", text)
		require.Equal(t, 5*time.Second, time.Since(begun))

		begun = time.Now() // the first one, which had its time, is not waited for again
		text, _, err = llmtest.Ask(t.Context(), chain, llm.Request{})
		require.NoError(t, err)
		require.Equal(t, "second", text)
		require.Equal(t, time.Second, time.Since(begun))

		second.after = 3 * time.Second // the first one's request goes on
		text, _, err = llmtest.Ask(t.Context(), fallback.LLM(discard, first, second), llm.Request{})
		require.NoError(t, err)
		require.Equal(t, "first", text)
	})
}

// hanging is a voice that never makes a sound.
type hanging struct{ mute }

func (hanging) Speak(ctx context.Context, _ tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		<-ctx.Done()
		yield(nil, ctx.Err())
	}
}

// A voice that asks for patience is waited for, though another could stand in.
func TestABusyVoiceIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun, asked := time.Now(), time.Duration(0)
		ctx := tts.WithPatience(t.Context(), func(silence time.Duration) { asked = silence })
		chain := fallback.TTS(discard, &voicetest.TTS{First: 6 * time.Second, Asks: 10 * time.Second}, hanging{})
		sound, err := ttstest.Collect(ctx, chain, tts.Request{Text: "Hello."})
		require.NoError(t, err)
		require.NotEmpty(t, sound)
		require.GreaterOrEqual(t, time.Since(begun), 6*time.Second)
		require.Equal(t, 10*time.Second, asked, "whoever waits for the chain is asked too")
	})
}

func TestAHangingVoiceIsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		chain := fallback.TTS(discard, hanging{}, flite.New(flite.Config{}))
		sound, err := ttstest.Collect(t.Context(), chain, tts.Request{Text: "Hello."})
		require.NoError(t, err)
		require.NotEmpty(t, sound)
		require.Equal(t, 2500*time.Millisecond, time.Since(begun))
		_, err = ttstest.Collect(t.Context(), chain, tts.Request{Text: "Hello again."})
		require.NoError(t, err)
		require.Equal(t, 2500*time.Millisecond, time.Since(begun), "it is not asked again at once")
	})
}

// stalling is a voice that begins and then says nothing more.
type stalling struct{}

func (stalling) Name() string { return "stalling" }

func (stalling) Speak(ctx context.Context, _ tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		if yield(make([]int16, 800), nil) {
			<-ctx.Done()
			yield(nil, ctx.Err())
		}
	}
}

// A voice that stops within a sentence has failed, whoever plays what it made taking their time: the next sentence is another's.
func TestAVoiceThatStallsIsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		chain := fallback.TTS(discard, stalling{}, flite.New(flite.Config{}))
		for _, err := range chain.Speak(t.Context(), tts.Request{Text: "Hello."}) {
			if err != nil {
				kind, _ := fault.Of(err)
				require.Equal(t, fault.Timeout, kind)
				break
			}
			time.Sleep(4 * time.Second) // the reader's time is not the voice's
		}
		require.Equal(t, 6500*time.Millisecond, time.Since(begun))
		sound, err := ttstest.Collect(t.Context(), chain, tts.Request{Text: "Hello again."})
		require.NoError(t, err)
		require.NotEmpty(t, sound)
		require.Equal(t, 6500*time.Millisecond, time.Since(begun), "it is not asked again at once")
	})
}
