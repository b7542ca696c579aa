package vad

import "math"

const (
	half = fftSize / 2
	bins = half + 1
	// rows of the real parts: the bins, rounded up to whole blocks of every kernel. The imaginary part of the last bin is 0.
	realRows = 80
)

// newSpectrum returns the Fourier transform of folded pieces of audio as two layers of the network, for the real and for the
// imaginary parts. At this size that costs less than a fast transform without assembly.
func newSpectrum() (re, im *matrix) {
	return newWaves(realRows, bins, math.Cos), newWaves(half, half, math.Sin)
}

// newWaves has a window and a wave of each bin, for samples from -1 to 1.
func newWaves(rows, bins int, wave func(float64) float64) *matrix {
	w := make([]float32, rows*half)
	for k := range bins {
		for i := range half {
			at := i
			if i == 0 {
				at = half // see fold
			}
			window := 0.5 - 0.5*math.Cos(2*math.Pi*float64(at)/fftSize) // periodic Hann
			w[(k/8*half+i)*8+k%8] = float32(window * wave(2*math.Pi*float64(k*at%fftSize)/fftSize) / 32768)
		}
	}
	return newMatrix(w, make([]float32, rows), columns, half, float32(math.Inf(-1)))
}

// fold makes sums and differences of each two samples that stand as far before the middle of a piece as behind it: the
// cosines are the same for both, the sines opposite. The first sum is the middle itself, the first difference 0; before
// them is the first sample of a piece, of which its window leaves nothing.
func fold(even, odd *[columns * half]float32, pcm *[(columns + 1) * half]int16) {
	for c := range columns {
		x, even, odd := (*[fftSize]int16)(pcm[c*half:]), (*[half]float32)(even[c*half:]), (*[half]float32)(odd[c*half:])
		even[0] = float32(x[half])
		for i := 1; i < half; i++ {
			a, b := int32(x[i]), int32(x[fftSize-i])
			even[i], odd[i] = float32(a+b), float32(a-b)
		}
	}
}
