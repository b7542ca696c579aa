// Package audio holds what the platform knows about sound: 16-bit mono samples at 8 or 16 kHz, how they become G.711 and
// G.722, how other sampling rates become them, how they are read from and written to WAV files and streams, and how tones and
// keypad digits are made and detected. The rest of the program, the speech providers included, has no other code for these.
//
// It must not know about calls, packets, providers or files on disk: it computes on slices, readers and writers that others
// own, and imports nothing of the program.
package audio

import "time"

const (
	// Rate is the sampling rate of telephones, in hertz: of a leg whose band is Narrow, and of all that only analyses sound.
	Rate = 8000
	// FrameLen is the number of samples in one frame at Rate, the unit of a telephone's clock.
	FrameLen = 160
	// FrameDuration is how long one frame lasts.
	FrameDuration = FrameLen * time.Second / Rate
)

// Incoming is one thing the far end of a call sent, in the order it was sent.
// Exactly one of the fields is set. It is small, as two seconds of frames may wait in every call.
type Incoming struct {
	Frame []int16 // of the leg's band, owned by the receiver, who may give them back with GiveFrame; nil: none
	Digit byte    // a keypad digit, one of 0-9 * # A-D; 0: none
	text  *text   // nil: none
}

// text has one of its fields set.
type text struct{ caption, typed string }

// Captioned returns text that was sent beside the sound.
func Captioned(caption string) Incoming { return Incoming{text: &text{caption: caption}} }

// Typed returns text that was written to be taken as said.
func Typed(typed string) Incoming { return Incoming{text: &text{typed: typed}} }

// Caption returns text that was sent beside the sound; empty: none.
func (in Incoming) Caption() string {
	if in.text == nil {
		return ""
	}
	return in.text.caption
}

// Typed returns what was written to be taken as said; empty: none.
func (in Incoming) Typed() string {
	if in.text == nil {
		return ""
	}
	return in.text.typed
}

// Duration returns the playing time of n samples at Rate.
func Duration(n int) time.Duration {
	return time.Duration(n) * time.Second / Rate
}

// Samples returns the number of samples at Rate that play for d.
func Samples(d time.Duration) int {
	return int(d * Rate / time.Second)
}
