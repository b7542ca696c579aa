package vad

import (
	"fmt"

	"github.com/callwright/callwright/voice/prefetch"
)

const (
	contextSize = 32  // samples of the previous frame put before each frame
	fftSize     = 128 // window of the short-time Fourier transform; its hop is half of it
	columns     = 4   // spectra per frame
	hidden      = 128
)

// Silero is the network with the state of one stream of audio, about 1 KB. It is a
// Prober.
type Silero struct {
	w       *weights
	context [contextSize]int16
	hidden  [hidden]float32
	cell    [hidden]float32
}

// scratch is what the layers of the network write. The zero columns are the padding of the convolutions.
type scratch struct {
	pcm       [contextSize + FrameSize + contextSize]int16 // context, frame, reflection
	even, odd [columns * half]float32
	re        [columns * realRows]float32
	im        [columns * half]float32
	mag       [(columns + 2) * bins]float32 // a zero column, 4 spectra, a zero column
	a0        [(columns + 1) * 128]float32  // a zero column, 4 columns
	a1        [2 * 64]float32
	a2        [64]float32
	xh        [2 * hidden]float32 // input of the LSTM and its hidden state
	gates     [4 * hidden]float32
}

// NewSilero returns a detector for one stream. The weights are read once per process.
func NewSilero() (*Silero, error) {
	w, err := embeddedWeights()
	if err != nil {
		return nil, fmt.Errorf("load silero: %w", err)
	}
	return &Silero{w: w}, nil
}

// Reset forgets the audio heard so far.
func (s *Silero) Reset() { *s = Silero{w: s.w} }

// prefetch fetches what Prob reads of the stream.
func (s *Silero) prefetch() { prefetch.Of(s) }

// Prob runs the network on one frame.
func (s *Silero) Prob(frame []int16) float32 {
	t := s.w.scratches.Get().(*scratch)
	defer s.w.scratches.Put(t)
	s.load(t, frame)
	s.w.encode(t)
	return s.decode(t)
}

// load puts the last samples heard before the frame and mirrors its end, as the network
// was trained: padding by reflection, on the right only.
func (s *Silero) load(t *scratch, frame []int16) {
	copy(t.pcm[:], s.context[:])
	copy(t.pcm[contextSize:], frame[:FrameSize])
	for i := range contextSize {
		t.pcm[contextSize+FrameSize+i] = t.pcm[contextSize+FrameSize-2-i]
	}
	copy(s.context[:], frame[FrameSize-contextSize:])
}

// encode runs four convolutions of kernel 3 over the spectra, each as products with
// neighbouring columns. The middle two have stride 2.
func (w *weights) encode(t *scratch) {
	fold(&t.even, &t.odd, &t.pcm)
	w.re.multiply(t.re[:], t.even[:])
	w.im.multiply(t.im[:], t.odd[:])
	for c := range columns {
		re, mag := t.re[c*realRows:], t.mag[(c+1)*bins:]
		magnitudes((*[half]float32)(mag), (*[half]float32)(re), (*[half]float32)(t.im[c*half:]))
		mag[half] = max(re[half], -re[half])
	}
	w.enc0.multiply(t.a0[128:], t.mag[:])
	w.enc1.multiply(t.a1[:], t.a0[:])
	w.enc2.multiply(t.a2[:], t.a1[:])
	w.enc3.multiply(t.xh[:hidden], t.a2[:])
}

// decode advances the LSTM cell by one step and reads the probability off its state.
func (s *Silero) decode(t *scratch) float32 {
	copy(t.xh[hidden:], s.hidden[:])
	s.w.lstm.multiply(t.gates[:], t.xh[:])
	return sigmoid(updateCell(&t.gates, &s.cell, &s.hidden, &s.w.dec) + s.w.decBias)
}
