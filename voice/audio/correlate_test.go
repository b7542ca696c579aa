package audio_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
)

func randomFloats(seed uint64, n int) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(r.NormFloat64())
	}
	return out
}

func TestCorrelate(t *testing.T) {
	t.Parallel()

	const untouched = 42
	for _, lags := range []int{0, 1, 63, 64, 128, 192, 200} {
		for _, n := range []int{1, 2, 7, 128, 500} {
			p, x := randomFloats(1, lags+n-1), randomFloats(2, n)
			y := append(randomFloats(3, lags), untouched)
			audio.Correlate(y[:lags], p, x)
			for lag := range lags {
				var want float64
				for k, v := range x {
					want += float64(v) * float64(p[lag+k])
				}
				require.InDelta(t, want, y[lag], 1e-4, "%d lags, %d samples: lag %d", lags, n, lag)
			}
			require.EqualValues(t, untouched, y[lags], "wrote past the end")
		}
	}
	require.Panics(t, func() { audio.Correlate(make([]float32, 64), make([]float32, 127), make([]float32, 65)) }, "p is too short")
	y := []float32{1}
	audio.Correlate(y, nil, nil)
	require.Zero(t, y[0])
}

func BenchmarkCorrelate(b *testing.B) {
	y, p, x := make([]float32, 1536), randomFloats(1, 2047), randomFloats(2, 512)
	for b.Loop() {
		audio.Correlate(y, p, x)
	}
}
