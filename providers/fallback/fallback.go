// Package fallback makes one provider of several: if one is unavailable, too slow or denies access, the next one is
// tried, as long as no part of the result was produced. A refused request is not tried elsewhere. A provider that
// failed has a cooldown in which it is tried last, so that not every turn of a call waits for it. Behind that one request
// at a time finds out whether it works again; while it does not, cooldowns double.
//
// It knows this rule and the three families that it applies to. It must not know any vendor.
package fallback

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/providers/tts"
)

type named interface{ Name() string }

// chain are providers in the order of preference.
type chain[P named] struct {
	logger    *slog.Logger
	providers []P
	mu        sync.Mutex
	healths   []health // one for each provider
}

func newChain[P named](logger *slog.Logger, providers []P) *chain[P] {
	return &chain[P]{logger: logger, providers: providers, healths: make([]health, len(providers))}
}

// Name returns the joined names.
func (c *chain[P]) Name() string {
	names := make([]string, len(c.providers))
	for i, provider := range c.providers {
		names[i] = provider.Name()
	}
	return strings.Join(names, ",")
}

// begin returns the order for a request with ctx, and tells of the providers that stand back in it.
func (c *chain[P]) begin(ctx context.Context, family served.Family) []int {
	order := c.order()
	for i := range order[0] {
		served.Fail(ctx, family, served.Failure{Vendor: c.providers[i].Name(), Happened: served.Skipped,
			Message: "it had failed shortly before"})
	}
	return order
}

// stream tries one provider after the other, until one has produced something.
func stream[P named, T any](
	ctx context.Context, family served.Family, c *chain[P], ask func(i int) iter.Seq2[T, error], something func(T) bool,
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		order := c.begin(ctx, family)
		for n, i := range order {
			asked, begun, failure := time.Now(), false, error(nil)
			for item, err := range ask(i) {
				if err != nil {
					failure = err
					break
				}
				begun = begun || something(item)
				if !yield(item, nil) {
					return
				}
			}
			if failure == nil {
				c.works(i, asked)
				return
			}
			if elsewhere := c.failed(i, failure); !elsewhere || begun || n == len(order)-1 {
				yield(none, failure)
				return
			}
		}
	}
}

// tell passes items on and tells with the first of them that is something who served the request.
func tell[T any](ctx context.Context, family served.Family, by served.By, something func(T) bool,
	items iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		told := false
		for item, err := range items {
			if err == nil && !told && something(item) {
				told = true
				served.Tell(ctx, family, by)
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

type ttsChain struct{ *chain[tts.Provider] }

// TTS returns one synthesiser made of several, at least one. A request's model and voice are names of the first one's;
// the others use their own.
func TTS(logger *slog.Logger, providers ...tts.Provider) tts.Provider {
	if len(providers) == 1 {
		return onlyTTS{providers[0]}
	}
	return ttsChain{newChain(logger, providers)}
}

// onlyTTS is a synthesiser without others.
type onlyTTS struct{ tts.Provider }

func (o onlyTTS) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	return tell(ctx, served.TTS, served.By{Vendor: o.Name()}, sounds, o.Provider.Speak(ctx, req))
}

func sounds(chunk []int16) bool { return len(chunk) > 0 }

func (c ttsChain) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	ask := func(i int) iter.Seq2[[]int16, error] {
		own := req
		if i > 0 {
			own.Model, own.Voice = "", ""
			tts.AskPatience(ctx, firstSound)
		}
		name := c.providers[i].Name()
		speak := func(ctx context.Context) iter.Seq2[[]int16, error] { return c.providers[i].Speak(ctx, own) }
		if i < len(c.providers)-1 { // somebody stands in for it
			waiting := speak
			speak = func(ctx context.Context) iter.Seq2[[]int16, error] { return punctual(ctx, name, waiting) }
		}
		return tell(ctx, served.TTS, served.By{Vendor: name, StandIn: i > 0}, sounds, audible(name, req.Text, speak(ctx)))
	}
	return stream(ctx, served.TTS, c.chain, ask, sounds)
}

var errNoSound = errors.New("it made no sound")

// audible returns an error for speech without sound of a text with words.
func audible(name, text string, speech iter.Seq2[[]int16, error]) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		silent := strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
		for chunk, err := range speech {
			silent = false
			if !yield(chunk, err) {
				return
			}
		}
		if silent {
			yield(nil, &fault.Error{Kind: fault.Unavailable, Provider: name, Err: errNoSound})
		}
	}
}

// firstSound is how long a voice may take to its first sound, and from one piece of it to the next: a caller waits for it.
const firstSound = 2500 * time.Millisecond

// punctual fails a voice that hangs.
func punctual(ctx context.Context, name string, ask func(context.Context) iter.Seq2[[]int16, error]) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		late := fault.New(fault.Timeout, name, "no sound for "+firstSound.String())
		watchdog := time.AfterFunc(firstSound, func() { cancel(late) })
		defer watchdog.Stop()
		var patience atomic.Int64
		patience.Store(int64(firstSound))
		ctx = tts.WithPatience(ctx, func(silence time.Duration) {
			patience.Store(int64(max(silence, firstSound)))
			watchdog.Reset(silence)
		})
		for chunk, err := range ask(ctx) {
			watchdog.Stop() // the reader's time is not the voice's
			if err != nil && errors.Is(context.Cause(ctx), late) {
				err = late
			}
			if !yield(chunk, err) || err != nil {
				return
			}
			watchdog.Reset(time.Duration(patience.Load()))
		}
		if errors.Is(context.Cause(ctx), late) {
			yield(nil, late)
		}
	}
}
