// Package stt is what the product asks of a speech recogniser: 8 kHz speech in, text out.
//
// It knows samples, ends of speech and events. It must not know any vendor (each has a
// package below this one), nor who speaks, nor when a turn is over: the caller detects
// speech and says where it pauses.
package stt

import "context"

// Options are the wishes of one call.
type Options struct {
	Model    string        // empty: the provider's default
	Language string        // ISO 639-1, e.g. "nl"; empty: let the provider detect it
	Captions <-chan string // text that the far end sent beside its audio (RFC 4351); nil: none
}

// Event is what was recognised. An interim text replaces the interim before it; a final
// one is never changed again.
type Event struct {
	Text  string
	Final bool
}

// Provider is a speech recogniser. Implementations are safe for concurrent use.
type Provider interface {
	Name() string
	// Open begins to recognise one speaker. ctx ends the stream as Close does. Errors,
	// here and in Stream.Err, are *fault.Error unless ctx was cancelled.
	Open(ctx context.Context, o Options) (Stream, error)
}

// Stream recognises one speaker until it is closed or fails. Write and EndOfSpeech are
// called by one goroutine.
type Stream interface {
	// Write adds 8 kHz mono samples: speech and its pre-roll. The samples are copied.
	// It never waits for the network. It fails once the stream is over.
	Write(pcm []int16) error
	// EndOfSpeech says that the speaker paused. Batch recognisers then transcribe what
	// was written since the last pause. Each call is answered by at least one final
	// event; its text is empty when no words were found. A recogniser that hears while it
	// is spoken may make text final sooner, but not between such a call and its answer.
	EndOfSpeech()
	// Events is closed after Close or a failure. Its reader may not stop reading before.
	Events() <-chan Event
	// Err is why Events was closed: nil after Close.
	Err() error
	// Close ends the stream at once, waits until nothing of it is left running, and may
	// be called again. Speech that was not transcribed yet is dropped.
	Close() error
}
