package vad

import "fmt"

const (
	contextSize = 32  // samples of the previous frame put before each frame
	fftSize     = 128 // window of the short-time Fourier transform; its hop is half of it
	bins        = fftSize/2 + 1
	columns     = 4 // spectra per frame
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
	pcm      [contextSize + FrameSize + contextSize]float32 // context, frame, reflection
	spectrum [columns * spectrumRows]float32
	mag      [(columns + 2) * bins]float32 // a zero column, 4 spectra, a zero column
	a0       [(columns + 1) * 128]float32  // a zero column, 4 columns
	a1       [2 * 64]float32
	a2       [64]float32
	xh       [2 * hidden]float32 // input of the LSTM and its hidden state
	gates    [4 * hidden]float32
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
	for i, v := range s.context {
		t.pcm[i] = float32(v) * (1.0 / 32768)
	}
	for i, v := range frame[:FrameSize] {
		t.pcm[contextSize+i] = float32(v) * (1.0 / 32768)
	}
	for i := range contextSize {
		t.pcm[contextSize+FrameSize+i] = t.pcm[contextSize+FrameSize-2-i]
	}
	copy(s.context[:], frame[FrameSize-contextSize:])
}

// encode runs four convolutions of kernel 3 over the spectra, each as products with
// neighbouring columns. The middle two have stride 2.
func (w *weights) encode(t *scratch) {
	w.spectrum.multiply(t.spectrum[:], t.pcm[:])
	for c := range columns {
		magnitudes(t.mag[(c+1)*bins:], t.spectrum[c*spectrumRows:])
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
	updateCell(&t.gates, &s.cell, s.hidden[:])
	sum := s.w.decBias
	for j, h := range &s.hidden {
		sum += max(h, 0) * s.w.dec[j]
	}
	return sigmoid(sum)
}
