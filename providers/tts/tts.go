// Package tts is what the product asks of a speech synthesiser: text in, sound of 8 or 16
// kHz out, in chunks, so that a sentence can be heard before it was made completely.
//
// It knows text, voices and samples. It must not know any vendor (each has a package
// below this one), nor calls: pacing the chunks is the caller's business.
package tts

import (
	"context"
	"iter"

	"github.com/callwright/callwright/voice/audio"
)

// Request is one text to speak, a sentence or a short message.
type Request struct {
	Text     string
	Voice    string // empty: the provider's default
	Model    string // empty: the provider's default
	Language string // ISO 639-1, e.g. "nl"; empty: the provider's default
	Band     audio.Band
}

// Provider is a speech synthesiser. Implementations are safe for concurrent use.
type Provider interface {
	Name() string
	// Speak yields chunks of mono samples of the request's band, the first as early as possible. It ends
	// when all was yielded, or with one error, a *fault.Error unless ctx was cancelled;
	// nothing follows an error. Chunks are never empty and belong to the receiver, who
	// must not write to them. A text without anything to say may yield nothing; one with
	// words that yields nothing has failed. Leaving the loop early, or ending ctx, ends the
	// request.
	Speak(ctx context.Context, req Request) iter.Seq2[[]int16, error]
}
