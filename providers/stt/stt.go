// Package stt defines speech recognisers: speech of 8 or 16 kHz in, text out.
//
// It knows samples, ends of speech and events. It must not know any vendor (each has a package below this one), nor who
// speaks, nor when a turn is over: its caller detects speech and its pauses.
package stt

import (
	"context"

	"github.com/callwright/callwright/voice/audio"
)

// Options are the options of one stream.
type Options struct {
	Model    string        // empty: the provider's default
	Language string        // ISO 639-1, e.g. "nl"; empty: let the provider detect it
	Band     audio.Band    // of what is written
	Captions <-chan string // text that the far end sent beside its audio (RFC 4351); nil: none
}

// Event is recognised text. An interim text replaces the interim before it; a final one does not change.
type Event struct {
	Text  string
	Final bool
}

// Provider is a speech recogniser. Implementations are safe for concurrent use.
type Provider interface {
	Name() string
	// Open starts a stream for one speaker. ctx ends the stream as Close does. Errors, here and in Stream.Err, are
	// *fault.Error unless ctx was canceled.
	Open(ctx context.Context, o Options) (Stream, error)
}

// Stream recognises one speaker until it is closed or fails. Write and EndOfSpeech must not be called concurrently.
type Stream interface {
	// Write adds mono samples of the stream's band: speech and its pre-roll. The samples are copied. It never waits for the network.
	// It fails once the stream has ended.
	Write(pcm []int16) error
	// EndOfSpeech marks a pause of the speaker. Batch recognisers then transcribe what was written since the last
	// pause. Each call is followed by at least one final event; its text is empty if no words were found. A streaming
	// recogniser may make text final sooner, but not between such a call and its final event.
	EndOfSpeech()
	// Events is closed after Close or a failure. It must be read until then.
	Events() <-chan Event
	// Err returns why Events was closed: nil after Close.
	Err() error
	// Close ends the stream at once, waits for its goroutines, and may be called again. Speech that was not
	// transcribed yet is dropped.
	Close() error
}
