package vad

import "math"

// fftTables are the constants of a windowed 128-point transform.
type fftTables struct {
	window   [fftSize]float32 // periodic Hann
	cos, sin [fftSize / 2]float32
	reverse  [fftSize]uint8 // index with its 7 bits reversed
}

func newFFTTables() *fftTables {
	t := &fftTables{}
	for i := range fftSize {
		s, c := math.Sincos(2 * math.Pi * float64(i) / fftSize)
		t.window[i] = float32(0.5 - 0.5*c)
		if i < fftSize/2 {
			t.cos[i], t.sin[i] = float32(c), float32(-s)
		}
		for b := range 7 {
			t.reverse[i] |= uint8(i >> b & 1 << (6 - b))
		}
	}
	return t
}

// fftScratch is the work space of one stream.
type fftScratch struct{ re, im [fftSize]float32 }

// magnitudes writes the 65 magnitudes of two windowed real signals a and b, which share
// one complex transform: a as its real, b as its imaginary part.
func (f *fftScratch) magnitudes(t *fftTables, a, b, ma, mb []float32) {
	a, b, ma, mb = a[:fftSize], b[:fftSize], ma[:bins], mb[:bins]
	for i, r := range t.reverse {
		w := t.window[i]
		f.re[r&(fftSize-1)], f.im[r&(fftSize-1)] = a[i]*w, b[i]*w
	}
	f.transform(t)
	for k := range bins { // A = (Z[k] + conj Z[-k]) / 2, B = (Z[k] - conj Z[-k]) / 2i
		m := (fftSize - k) & (fftSize - 1)
		ar, ai := f.re[k]+f.re[m], f.im[k]-f.im[m]
		br, bi := f.im[k]+f.im[m], f.re[m]-f.re[k]
		ma[k] = 0.5 * float32(math.Sqrt(float64(ar*ar+ai*ai)))
		mb[k] = 0.5 * float32(math.Sqrt(float64(br*br+bi*bi)))
	}
}

// transform is an in-place radix-2 transform of input loaded in bit-reversed order. The
// masks tell the compiler that no index leaves its array.
func (f *fftScratch) transform(t *fftTables) {
	re, im := &f.re, &f.im
	for i := 0; i < fftSize; i += 2 { // the first stage needs no multiplication
		j := (i + 1) & (fftSize - 1)
		a, b, c, d := re[i], im[i], re[j], im[j]
		re[i], im[i], re[j], im[j] = a+c, b+d, a-c, b-d
	}
	for half := 2; half < fftSize; half *= 2 {
		step := fftSize / 2 / half
		for base := 0; base < fftSize; base += 2 * half {
			for k := range half {
				i := (base + k) & (fftSize - 1)
				j := (i + half) & (fftSize - 1)
				w := (k * step) & (fftSize/2 - 1)
				c, s := t.cos[w], t.sin[w]
				xr, xi := re[j]*c-im[j]*s, re[j]*s+im[j]*c
				re[j], im[j] = re[i]-xr, im[i]-xi
				re[i], im[i] = re[i]+xr, im[i]+xi
			}
		}
	}
}
