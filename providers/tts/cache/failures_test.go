package cache_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/cache"
)

// hanging is a voice that tells, when it is given up, why.
type hanging struct{}

func (hanging) Name() string { return "hanging" }

func (hanging) Speak(ctx context.Context, _ tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		<-ctx.Done()
		if _, faulty := fault.Of(context.Cause(ctx)); faulty {
			served.Fail(ctx, served.TTS, served.FailureOf("hanging", false, context.Cause(ctx)))
		}
		yield(nil, ctx.Err())
	}
}

// A voice behind the cache is told why its last listener has left, and each listener is told that it failed.
func TestEachListenerIsToldOfFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		why  error
		want int
	}{
		"too slow":    {fault.New(fault.Timeout, "hanging", "no sound for 3s"), 1},
		"interrupted": {errors.New("nobody wants it"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := cache.New(hanging{}, 1<<20)
				var told [2][]served.Failure
				for i := range told {
					ctx, leave := context.WithCancelCause(served.ReportFailures(t.Context(), func(family served.Family, failure served.Failure) {
						require.Equal(t, served.TTS, family)
						told[i] = append(told[i], failure)
					}))
					time.AfterFunc(time.Duration(i+1)*time.Second, func() { leave(test.why) })
					go func() {
						for range p.Speak(ctx, tts.Request{Text: "Hello."}) { //nolint:revive // it ends with an error
						}
					}()
				}
				time.Sleep(3 * time.Second)
				synctest.Wait()
				for _, failures := range told {
					require.Len(t, failures, test.want)
				}
			})
		})
	}
}
