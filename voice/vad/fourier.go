package vad

import "math"

// spectrumRows is twice the number of bins, rounded up to whole blocks of every kernel.
const spectrumRows = 144

// newSpectrum is the windowed Fourier transform of four overlapping pieces of audio as a layer of the network: first the
// real parts of all bins, then the imaginary ones. At this size that costs a third of a fast transform without assembly.
func newSpectrum() *matrix {
	w := make([]float32, spectrumRows*fftSize)
	for row := range 2 * bins {
		for i := range fftSize {
			sin, cos := math.Sincos(2 * math.Pi * float64(row%bins*i%fftSize) / fftSize)
			if row >= bins {
				cos = -sin
			}
			window := 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/fftSize) // periodic Hann
			w[(row/8*fftSize+i)*8+row%8] = float32(window * cos)
		}
	}
	return newMatrix(w, make([]float32, spectrumRows), columns, fftSize/2, float32(math.Inf(-1)))
}

// magnitudes of the bins of a spectrum.
func magnitudes(out, spectrum []float32) {
	re, im := spectrum[:bins], spectrum[bins:2*bins]
	for k := range out[:bins] {
		out[k] = float32(math.Sqrt(float64(re[k]*re[k] + im[k]*im[k])))
	}
}
