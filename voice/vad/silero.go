package vad

import "fmt"

const (
	contextSize = 32  // samples of the previous frame put before each frame
	fftSize     = 128 // window of the short-time Fourier transform; its hop is half of it
	bins        = fftSize/2 + 1
	columns     = 4 // spectra per frame
	hidden      = 128
)

// Silero is the network with the state of one stream of audio, about 12 KB. It is a
// Prober.
type Silero struct {
	w     *weights
	pcm   [contextSize + FrameSize + contextSize]float32 // context, frame, reflection
	mag   [(columns + 2) * bins]float32                  // a zero column, 4 spectra, a zero column
	a0    [(columns + 1) * 128]float32                   // a zero column, 4 columns
	a1    [2 * 64]float32
	a2    [64]float32
	xh    [2 * hidden]float32 // input of the LSTM, then its hidden state
	cell  [hidden]float32
	gates [4 * hidden]float32
	fft   fftScratch
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
	s.load(frame)
	for c := 0; c < columns; c += 2 { // two real columns per complex transform
		s.fft.magnitudes(s.w.fft, s.pcm[c*fftSize/2:], s.pcm[(c+1)*fftSize/2:], s.mag[(c+1)*bins:], s.mag[(c+2)*bins:])
	}
	s.encode()
	return s.decode()
}

// load puts the last samples heard before the frame and mirrors its end, as the network
// was trained: padding by reflection, on the right only.
func (s *Silero) load(frame []int16) {
	pcm := &s.pcm
	copy(pcm[:contextSize], pcm[FrameSize:FrameSize+contextSize])
	for i, v := range frame[:FrameSize] {
		pcm[contextSize+i] = float32(v) * (1.0 / 32768)
	}
	for i := range contextSize {
		pcm[contextSize+FrameSize+i] = pcm[contextSize+FrameSize-2-i]
	}
}

// encode runs four convolutions of kernel 3, each as dot products over neighbouring
// columns; the zero columns are their padding. The middle two have stride 2.
func (s *Silero) encode() {
	w := s.w
	for c := range columns {
		gemv(s.a0[(c+1)*128:(c+2)*128], w.enc0, s.mag[c*bins:(c+3)*bins], w.bias0)
	}
	relu(s.a0[128:])
	for c := range 2 {
		gemv(s.a1[c*64:(c+1)*64], w.enc1, s.a0[c*256:c*256+384], w.bias1)
	}
	relu(s.a1[:])
	gemv(s.a2[:], w.enc2, s.a1[:], w.bias2)
	relu(s.a2[:])
	gemv(s.xh[:hidden], w.enc3, s.a2[:], w.bias3)
	relu(s.xh[:hidden])
}

// decode advances the LSTM cell by one step and reads the probability off its state.
func (s *Silero) decode() float32 {
	w := s.w
	gemv(s.gates[:], w.lstm, s.xh[:], w.biasL)
	g, h, sum := &s.gates, (*[hidden]float32)(s.xh[hidden:]), w.decBias
	for j := range hidden {
		c := sigmoid(g[hidden+j])*s.cell[j] + sigmoid(g[j])*tanh(g[2*hidden+j])
		s.cell[j] = c
		h[j] = sigmoid(g[3*hidden+j]) * tanh(c)
		sum += max(h[j], 0) * w.dec[j]
	}
	return sigmoid(sum)
}
