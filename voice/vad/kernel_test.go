package vad

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func gaussian(seed uint64, n int) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(r.NormFloat64())
	}
	return out
}

func TestAssemblyMatchesGo(t *testing.T) {
	t.Parallel()

	const untouched = 42
	for _, rows := range []int{8, 32, 64, 512} {
		for _, n := range []int{1, 2, 195, 256} {
			w, x, b := gaussian(1, rows*n), gaussian(2, n), gaussian(3, rows)
			got, want := make([]float32, rows+1), make([]float32, rows)
			got[rows] = untouched
			gemv(got[:rows], w, x, b)
			gemvGo(want, w, x, b)
			require.InDeltaSlice(t, want, got[:rows], 1e-3, "%d x %d", rows, n)
			require.EqualValues(t, untouched, got[rows], "wrote past the end")
		}
	}
}

func TestFastMath(t *testing.T) {
	t.Parallel()

	for x := -30.0; x < 30; x += 0.0137 {
		require.InEpsilon(t, math.Exp(float64(float32(x))), exp(float32(x)), 5e-7, "exp(%g)", x)
		require.InDelta(t, math.Tanh(x), tanh(float32(x)), 1e-6, "tanh(%g)", x)
	}
	require.Less(t, sigmoid(-1e9), float32(1e-30))
	require.EqualValues(t, 1, sigmoid(1e9))
	require.EqualValues(t, 1, tanh(1e9))
	require.EqualValues(t, -1, tanh(-1e9))
}

func TestMagnitudesMatchTheDefinition(t *testing.T) {
	t.Parallel()

	a, b := gaussian(5, fftSize), gaussian(6, fftSize)
	var ma, mb [bins]float32
	var scratch fftScratch
	tables := newFFTTables()
	scratch.magnitudes(tables, a, b, ma[:], mb[:])
	for k := range bins {
		var za, zb complex128
		for n := range fftSize {
			w := complex(float64(tables.window[n]), 0) * cmplx.Exp(complex(0, -2*math.Pi*float64(k*n)/fftSize))
			za += w * complex(float64(a[n]), 0)
			zb += w * complex(float64(b[n]), 0)
		}
		require.InDelta(t, cmplx.Abs(za), ma[k], 1e-4, "bin %d", k)
		require.InDelta(t, cmplx.Abs(zb), mb[k], 1e-4, "bin %d", k)
	}
}

func TestDamagedWeightsAreRefused(t *testing.T) {
	t.Parallel()

	flipped := append([]byte{}, weightsFile...)
	flipped[len(flipped)/2] ^= 1
	for name, file := range map[string][]byte{
		"empty": nil, "other file": []byte("0123456789abcdef"), "truncated": weightsFile[:1000], "bit flip": flipped,
	} {
		_, err := readWeights(file)
		require.ErrorContains(t, err, "read weights", name)
	}
}
