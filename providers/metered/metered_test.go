package metered

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/metrics"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/llm/llmtest"
	"github.com/callwright/callwright/providers/llm/scripted"
	"github.com/callwright/callwright/providers/stt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	t.Parallel()
	llmtest.Run(t, LLM("conforming", "", scripted.New()),
		llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hello"}}})
}

// requests returns how many requests of a vendor went so.
func requests(family, vendor, outcome string) int {
	return int(testutil.ToFloat64(metrics.VendorRequests.WithLabelValues(family, vendor, outcome)))
}

// model says words, each after a while, and then fails, or hangs until its context ends.
type model struct {
	words []string
	err   error
	hangs bool
}

func (*model) Name() string { return "model" }

func (m *model) Stream(ctx context.Context, _ llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for _, word := range m.words {
			time.Sleep(time.Second)
			if !yield(llm.Delta{Text: word}, nil) {
				return
			}
		}
		if m.hangs {
			<-ctx.Done()
			yield(llm.Delta{}, ctx.Err())
			return
		}
		yield(llm.Delta{Finish: llm.FinishStop}, m.err)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	late := fault.New(fault.Timeout, "x", "late")
	for name, test := range map[string]struct {
		model *model
		cause error // that ends the context after 5 s; nil: none does
		want  string
	}{
		"says all":                     {&model{words: []string{"a"}}, nil, "ok"},
		"fails":                        {&model{err: fault.New(fault.Denied, "x", "")}, nil, "denied"},
		"fails in the middle":          {&model{words: []string{"a"}, err: fault.New(fault.Unavailable, "x", "")}, nil, "unavailable"},
		"fails in words of its own":    {&model{err: errors.New("what")}, nil, "unavailable"},
		"nobody waits any more":        {&model{hangs: true}, context.Canceled, "canceled"},
		"nobody wants the rest":        {&model{words: []string{"a"}, hangs: true}, context.Canceled, "ok"},
		"it is given up as too slow":   {&model{hangs: true}, late, "timeout"},
		"it stops and is given up too": {&model{words: []string{"a"}, hangs: true}, late, "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if test.cause != nil {
					defer time.AfterFunc(5*time.Second, func() { cancel(test.cause) }).Stop()
				}
				before := requests("model", name, test.want)
				for _, err := range LLM(name, "", test.model).Stream(ctx, llm.Request{}) {
					if err != nil {
						break
					}
				}
				require.Equal(t, before+1, requests("model", name, test.want))
			})
		})
	}
}

// recogniser hears a word two seconds after each end of speech.
type recogniser struct{ stt.Provider }

type hearing struct {
	*stt.Emitter
	ended chan struct{}
}

func (recogniser) Open(ctx context.Context, _ stt.Options) (stt.Stream, error) {
	h := &hearing{ended: make(chan struct{}, 8)}
	h.Emitter = stt.NewEmitter(ctx, func(ctx context.Context, emit func(stt.Event) bool) error {
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-h.ended:
				time.Sleep(2 * time.Second)
				emit(stt.Event{Text: "word", Final: true})
			}
		}
	})
	return h, nil
}

func (h *hearing) Write([]int16) error { return h.Over() }
func (h *hearing) EndOfSpeech()        { h.ended <- struct{}{} }

func TestWordsAreMeasuredFromTheEndOfSpeech(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		before := requests("transcriber", "hears", "ok")
		stream, err := STT("hears", "", recogniser{}).Open(t.Context(), stt.Options{})
		require.NoError(t, err)
		require.NoError(t, stream.Write(make([]int16, 160)))
		began := time.Now()
		for range 2 {
			stream.EndOfSpeech()
			require.Equal(t, "word", (<-stream.Events()).Text)
		}
		require.Equal(t, 4*time.Second, time.Since(began))
		require.NoError(t, stream.Close())
		_, open := <-stream.Events()
		require.False(t, open)
		require.NoError(t, stream.Err())
		require.Equal(t, before+1, requests("transcriber", "hears", "ok"))
	})
}

// deaf hears nothing.
type deaf struct{ stt.Provider }

func (deaf) Open(ctx context.Context, _ stt.Options) (stt.Stream, error) {
	h := &hearing{ended: make(chan struct{}, 8)}
	h.Emitter = stt.NewEmitter(ctx, func(ctx context.Context, _ func(stt.Event) bool) error {
		<-ctx.Done()
		return nil
	})
	return h, nil
}

func TestAStreamThatIsLeftForItsSilenceTimedOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		before := requests("transcriber", "hangs", "timeout")
		stream, err := STT("hangs", "", deaf{}).Open(t.Context(), stt.Options{})
		require.NoError(t, err)
		stream.EndOfSpeech()
		time.Sleep(patience + time.Second)
		require.NoError(t, stream.Close())
		require.Equal(t, before+1, requests("transcriber", "hangs", "timeout"))
	})
}
