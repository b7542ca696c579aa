package tts

import (
	"context"
	"time"
)

type patienceKey struct{}

// WithPatience returns a context for Speak whose provider says through ask for how long it may make no sound from now on: a
// stand-in that is asked only now, or a voice made on this machine, which takes long where the machine is busy and does not hang.
// ask may be called by several goroutines at once. Whoever gave ctx is asked too.
func WithPatience(ctx context.Context, ask func(time.Duration)) context.Context {
	outer, _ := ctx.Value(patienceKey{}).(func(time.Duration))
	return context.WithValue(ctx, patienceKey{}, func(silence time.Duration) {
		ask(silence)
		if outer != nil {
			outer(silence)
		}
	})
}

// AskPatience asks whoever waits for the sound of a request with ctx to take a silence for no failure.
func AskPatience(ctx context.Context, silence time.Duration) {
	if ask, ok := ctx.Value(patienceKey{}).(func(time.Duration)); ok {
		ask(silence)
	}
}
