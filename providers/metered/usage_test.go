package metered

import (
	"context"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/usage"
)

// counted collects what is counted with a context.
type counted struct {
	mu   sync.Mutex
	uses []usage.Use
}

func (c *counted) meter(ctx context.Context) context.Context {
	return usage.Meter(ctx, func(use usage.Use) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.uses = append(c.uses, use)
	})
}

// telling is a model that tells what a reply took.
type telling struct{ llm.Usage }

func (telling) Name() string { return "telling" }

func (m telling) Stream(context.Context, llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		_ = yield(llm.Delta{Text: "Good morning."}, nil) && yield(llm.Delta{Finish: llm.FinishStop, Usage: m.Usage}, nil)
	}
}

func TestTokensAreCounted(t *testing.T) {
	t.Parallel()
	request := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hello there"}}, Tools: []llm.Tool{{Name: "wave"}}}
	for name, test := range map[string]struct {
		model llm.Provider
		leave bool // behind the first part, as a guess that is thrown away
		name  string
		want  usage.Use
	}{
		"as the model tells": {telling{llm.Usage{Prompt: 90, Cached: 40, Completion: 5}}, false, "own",
			usage.Use{Model: "own", Prompt: 50, Cached: 40, Completion: 5}},
		"by their lengths": {telling{}, false, "", usage.Use{Model: "default", Prompt: 4, Completion: 4, Estimated: true}},
		"thrown away": {telling{llm.Usage{Prompt: 90}}, true, "",
			usage.Use{Model: "default", Prompt: 4, Completion: 4, Estimated: true}},
		"not at all": {&model{err: fault.New(fault.Denied, "x", "")}, false, "", usage.Use{Model: "default"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, asked := &counted{}, request
			asked.Model = test.name
			for range LLM("vendor", "default", test.model).Stream(got.meter(t.Context()), asked) {
				if test.leave {
					break
				}
			}
			test.want.Family, test.want.Vendor = served.LLM, "vendor"
			require.Equal(t, []usage.Use{test.want}, got.uses)
		})
	}
}

// speaks makes so many chunks of sound.
type speaks int

func (speaks) Name() string { return "speaks" }

func (n speaks) Speak(context.Context, tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		for range n {
			if !yield(make([]int16, 160), nil) {
				return
			}
		}
	}
}

func TestCharactersAreCountedOnce(t *testing.T) {
	t.Parallel()
	got := &counted{}
	for _, chunks := range []speaks{3, 0} {
		for range TTS("vendor", "m", chunks).Speak(got.meter(t.Context()), tts.Request{Text: "één €"}) { //nolint:revive // all of it
		}
	}
	require.Equal(t, []usage.Use{{Family: served.TTS, Vendor: "vendor", Model: "m", Characters: 5}}, got.uses)
}

func TestSoundIsCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := &counted{}
		stream, err := STT("vendor", "m", recogniser{}).Open(got.meter(t.Context()), stt.Options{})
		require.NoError(t, err)
		require.NoError(t, stream.Write(make([]int16, 12_000)))
		stream.EndOfSpeech()
		require.NoError(t, stream.Write(make([]int16, 4000)))
		<-stream.Events()
		require.NoError(t, stream.Close())
		of := usage.Use{Family: served.STT, Vendor: "vendor", Model: "m"}
		first, second := of, of
		first.Sound, second.Sound = 1500*time.Millisecond, 500*time.Millisecond
		require.Equal(t, []usage.Use{first, second}, got.uses)
	})
}
