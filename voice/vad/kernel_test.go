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
	for _, columns := range []int{1, 2, 4} {
		for _, blocks := range []int{1, 2, 8} {
			for _, n := range []int{1, 2, 195, 256} {
				rows, step := blocks*blockRows(columns), n/2+1
				m := newMatrix(gaussian(1, rows*n), gaussian(3, rows), columns, step, -1)
				x := gaussian(2, (columns-1)*step+n)
				for k := 0; k < len(x); k += 3 {
					x[k] = 0
				}
				got, want := make([]float32, columns*rows+1), make([]float32, columns*rows)
				got[columns*rows] = untouched
				m.multiply(got[:columns*rows], x)
				m.multiplyGo(want, x)
				require.InDeltaSlice(t, want, got[:columns*rows], 1e-3, "%d columns, %d x %d", columns, rows, n)
				require.EqualValues(t, untouched, got[columns*rows], "wrote past the end")
			}
		}
	}
}

// The expected rows are computed from the weights as they were given, before any block was made of them.
func TestMatrixMatchesTheDefinition(t *testing.T) {
	t.Parallel()

	const rows, n, step = 64, 10, 3
	for _, columns := range []int{1, 2, 4} {
		w, x, b := gaussian(1, rows*n), gaussian(2, (columns-1)*step+n), gaussian(3, rows)
		y := make([]float32, columns*rows)
		newMatrix(w, b, columns, step, 0).multiply(y, x)
		for c := range columns {
			for row := range rows {
				want := b[row]
				for k := range n {
					want += w[(row/8*n+k)*8+row%8] * x[c*step+k]
				}
				require.InDelta(t, max(want, 0), y[c*rows+row], 1e-4, "%d columns: row %d of column %d", columns, row, c)
			}
		}
	}
}

func TestPackedWeightsMatch(t *testing.T) {
	t.Parallel()

	const untouched = 42
	for _, blocks := range []int{1, 3, 8} {
		for _, n := range []int{1, 2, 255, 256} {
			rows := blocks * packedBlock
			w := gaussian(1, rows*n)
			clear(w[:8*n]) // rows without weights
			m := newMatrix(w, gaussian(3, rows), 1, 0, float32(math.Inf(-1)))
			x := gaussian(2, n)
			for k := 0; k < len(x); k += 3 {
				x[k] = 0
			}
			got, want := make([]float32, rows+1), make([]float32, rows)
			got[rows] = untouched
			m.multiplyGo(want, x)
			m.shrink()
			m.multiply(got[:rows], x)
			require.InDeltaSlice(t, want, got[:rows], 4e-4*math.Sqrt(float64(n)), "%d x %d", rows, n)
			require.EqualValues(t, untouched, got[rows], "wrote past the end")
		}
	}
}

func TestCellAssemblyMatchesGo(t *testing.T) {
	t.Parallel()

	for _, scale := range []float32{0.1, 1, 10, 1000} {
		gates, cell := [4 * hidden]float32(gaussian(1, 4*hidden)), [hidden]float32(gaussian(2, hidden))
		for i := range gates {
			gates[i] *= scale
		}
		dec, same := [hidden]float32(gaussian(3, hidden)), cell
		var got, want [hidden]float32
		sum := updateCell(&gates, &cell, &got, &dec)
		require.InDelta(t, cellGo(&gates, &same, &want, &dec), sum, 1e-4)
		require.InDeltaSlice(t, want[:], got[:], 1e-6)
		require.InDeltaSlice(t, same[:], cell[:], 1e-6)
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

	w, s := newSilero(t).w, new(scratch)
	for i, v := range gaussian(5, len(s.pcm)) {
		s.pcm[i] = int16(max(min(v*10_000, math.MaxInt16), math.MinInt16))
	}
	w.encode(s)
	for c := range columns {
		for k := range bins {
			var z complex128
			for n := range fftSize {
				window := 0.5 - 0.5*math.Cos(2*math.Pi*float64(n)/fftSize)
				z += complex(window*float64(s.pcm[c*half+n])/32768, 0) * cmplx.Exp(complex(0, -2*math.Pi*float64(k*n)/fftSize))
			}
			require.InDelta(t, cmplx.Abs(z), s.mag[(c+1)*bins+k], 2e-5, "column %d, bin %d", c, k)
		}
	}
	for _, padding := range [][]float32{s.mag[:bins], s.mag[(columns+1)*bins:]} {
		require.Equal(t, make([]float32, bins), padding)
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
