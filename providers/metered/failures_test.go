package metered

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/providers/stt"
)

// failures returns a context, and what of requests with it failed.
func failures(ctx context.Context) (context.Context, *[]served.Failure, *[]served.Family) {
	failed, families := &[]served.Failure{}, &[]served.Family{}
	return served.ReportFailures(ctx, func(family served.Family, failure served.Failure) {
		*failed, *families = append(*failed, failure), append(*families, family)
	}), failed, families
}

func TestFailuresAreTold(t *testing.T) {
	t.Parallel()
	late := fault.New(fault.Timeout, "x", "no word for 3s")
	status := &fault.Error{Kind: fault.Unavailable, Provider: "x", StatusCode: 503, Message: "busy"}
	of := func(happened served.Happened, message, standIn string) []served.Failure {
		return []served.Failure{{Vendor: "v", Happened: happened, Message: message, StandIn: standIn}}
	}
	for name, test := range map[string]struct {
		model *model
		cause error // that ends the context after 5 s; nil: none does
		want  []served.Failure
	}{
		"says all":              {&model{words: []string{"a"}}, nil, []served.Failure{}},
		"nobody waits any more": {&model{hangs: true}, context.Canceled, []served.Failure{}},
		"is denied":             {&model{err: fault.New(fault.Denied, "x", "who?")}, nil, of(served.Denied, "who?", "")},
		"is refused":            {&model{err: fault.New(fault.Refused, "x", "what?")}, nil, of(served.Refused, "what?", "")},
		"is down":               {&model{err: status}, nil, of(served.Unavailable, "status 503: busy", "")},
		"breaks off": {&model{words: []string{"a"}, err: fault.New(fault.Unavailable, "x", "gone")}, nil,
			of(served.BrokeOff, "gone", "")},
		"says nothing":               {&model{hangs: true}, late, of(served.TimedOut, "no word for 3s", "")},
		"stalls":                     {&model{words: []string{"a"}, hangs: true}, late, of(served.Stalled, "no word for 3s", "")},
		"another is faster":          {&model{hangs: true}, served.Outrun(late, "w"), of(served.TimedOut, "no word for 3s", "w")},
		"an error that is no fault":  {&model{err: errors.New("secret")}, nil, []served.Failure{}},
		"stalls with its last words": {&model{words: []string{"a", "b"}, hangs: true}, late, of(served.Stalled, "no word for 3s", "")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, failed, families := failures(t.Context())
				ctx, cancel := context.WithCancelCause(ctx)
				defer cancel(nil)
				if test.cause != nil {
					defer time.AfterFunc(5*time.Second, func() { cancel(test.cause) }).Stop()
				}
				for _, err := range LLM("v", "", test.model).Stream(ctx, llm.Request{}) {
					require.True(t, err == nil || len(*failed) == len(test.want), "a failure is told before whoever asked may ask another")
				}
				require.Equal(t, test.want, *failed)
				if len(test.want) > 0 {
					require.Equal(t, served.LLM, (*families)[0])
				}
			})
		})
	}
}

// A model that is asked beside the conversation and is late does no harm: it is told of, and counts as canceled.
func TestALateAsideIsToldOf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, failed, families := failures(t.Context())
		late := fault.New(fault.Timeout, "x", "late")
		ctx, cancel := context.WithTimeoutCause(ctx, time.Second, late)
		defer cancel()
		before := requests("model", "aside", "canceled")
		for _, err := range LLM("aside", "", &model{hangs: true}).Stream(ctx, llm.Request{Aside: true}) {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		require.Equal(t, []served.Failure{{Vendor: "aside", Happened: served.TimedOut, Message: "late"}}, *failed)
		require.Equal(t, []served.Family{served.Answerer}, *families)
		require.Equal(t, before+1, requests("model", "aside", "canceled"))
	})
}

// A stream that is left while its words are long due has stalled, or hung from the beginning.
func TestARecogniserThatOwesWordsIsToldOf(t *testing.T) {
	t.Parallel()
	for heard, want := range map[int]served.Happened{0: served.TimedOut, 1: served.Stalled} {
		synctest.Test(t, func(t *testing.T) {
			ctx, failed, families := failures(t.Context())
			stream, err := STT("owes", "", owing{heard}).Open(ctx, stt.Options{})
			require.NoError(t, err)
			for range heard {
				stream.EndOfSpeech()
				require.Equal(t, "word", (<-stream.Events()).Text)
			}
			stream.EndOfSpeech()
			time.Sleep(2500 * time.Millisecond)
			require.NoError(t, stream.Close())
			require.Equal(t, []served.Failure{{Vendor: "owes", Happened: want, Message: "no words for 2.5s"}}, *failed)
			require.Equal(t, []served.Family{served.STT}, *families)
		})
	}
}

// owing recognises so many words and no more.
type owing struct{ words int }

func (owing) Name() string { return "owing" }

func (o owing) Open(ctx context.Context, _ stt.Options) (stt.Stream, error) {
	h := &hearing{ended: make(chan struct{}, 8)}
	h.Emitter = stt.NewEmitter(ctx, func(ctx context.Context, emit func(stt.Event) bool) error {
		for range o.words {
			<-h.ended
			emit(stt.Event{Text: "word", Final: true})
		}
		<-ctx.Done()
		return nil
	})
	return h, nil
}
