package voice

import (
	"context"
	"time"

	"github.com/callwright/callwright/voice/audio"
)

// Leg is our end of one answered call, whatever carries it. Its methods never block, except those that take a context.
type Leg interface {
	// Incoming returns what the far end sends, in order. It is closed when the leg is over.
	Incoming() <-chan audio.Incoming
	// Notify has ready called, which does not block, when something was put into Incoming, and when that is closed; also now, for
	// what was put in before.
	Notify(ready func())
	// Band is that of all its sound. It does not change.
	Band() audio.Band
	// Play appends mono samples to the playout queue, which keeps them: nobody writes to them any more.
	Play(pcm []int16)
	// Flush drops what was not sent yet and returns how much that was.
	Flush() time.Duration
	// Queued is how much was not sent yet.
	Queued() time.Duration
	// Captioned reports whether text travels beside the sound (RFC 4351).
	Captioned() bool
	// Caption sends text beside the sound, where that was negotiated.
	Caption(text string)
	SendDigits(digits string)
	// Record passes what was received and sent to sink, in the leg's band, once per frame of the send clock.
	Record(sink func(far, near []int16))
	// Hangup ends the call. It may be called again.
	Hangup(ctx context.Context) error
	// Transfer asks the far end to call target instead and waits for the outcome.
	Transfer(ctx context.Context, target string) error
	// Done is closed when the leg is over; Err then says why, nil after our own Hangup.
	Done() <-chan struct{}
	Err() error
}
