package audio

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func sine(rate, n int, freq float64) []int16 {
	pcm := make([]int16, n)
	for i := range pcm {
		pcm[i] = int16(10000 * math.Sin(2*math.Pi*freq*float64(i)/float64(rate)))
	}
	return pcm
}

// middle leaves out the edges, where the filter still meets the silence around the signal.
func middle(pcm []int16) []int16 { return pcm[len(pcm)/4 : 3*len(pcm)/4] }

func TestSpeechBandPassesUnchanged(t *testing.T) {
	for _, from := range []int{48000, 44100, 24000, 22050, 16000, 11025} {
		for _, freq := range []float64{100, 440, 1000, 2000, 3200} {
			out, err := Resample(sine(from, from/2, freq), from, Rate)
			require.NoError(t, err)
			require.InDelta(t, Rate/2, len(out), 1, "from %d", from)
			want := middle(sine(Rate, len(out), freq))
			got := middle(out)
			for i := range got {
				require.InDelta(t, want[i], got[i], 60, "from %d, %.0f Hz, sample %d", from, freq, i)
			}
		}
	}
}

func TestWhatCannotBeHeardDoesNotFoldBack(t *testing.T) {
	for _, from := range []int{48000, 24000, 22050, 16000} {
		for _, freq := range []float64{4600, 5000, 6000, 7500} {
			out, err := Resample(sine(from, from/2, freq), from, Rate)
			require.NoError(t, err)
			require.Less(t, Level(middle(out)), -65.0, "%.0f Hz from %d", freq, from)
		}
	}
}

func TestTheTelephonesBandKeepsItsLevelAndLittleIsHeardAboveIt(t *testing.T) {
	t.Parallel()
	level := func(from int, freq float64) float64 {
		out, err := Resample(sine(from, from/2, freq), from, Rate)
		require.NoError(t, err)
		return Level(middle(out)) - Level(middle(sine(Rate, Rate/2, 1000)))
	}
	for _, from := range []int{11_025, 16_000, 22_050, 24_000, 44_100, 48_000} {
		for _, freq := range []float64{100, 1000, 3000, 3400} {
			require.InDelta(t, 0, level(from, freq), 0.2, "%v Hz from %d", freq, from)
		}
		for _, freq := range []float64{4300, 5000, 5400} {
			require.Less(t, level(from, freq), -50.0, "%v Hz from %d", freq, from)
		}
	}
}

func TestResamplingClips(t *testing.T) {
	t.Parallel()
	square := make([]int16, 2400)
	for i := range square {
		square[i] = math.MaxInt16
		if i/60%2 == 1 {
			square[i] = math.MinInt16
		}
	}
	out, err := Resample(square, 24_000, Rate)
	require.NoError(t, err)
	require.Greater(t, slices.Max(out[100:700]), int16(32_000)) // overshoot does not wrap around
	for i := 110; i < 700; i += 20 {                            // the middle of each half wave
		require.Equal(t, i/20%2 == 0, out[i] > 0, "sample %d", i)
	}
}

func TestResamplingUpAddsNothing(t *testing.T) {
	out, err := Resample(sine(Rate, Rate/2, 1000), Rate, 16000)
	require.NoError(t, err)
	want, got := middle(sine(16000, len(out), 1000)), middle(out)
	for i := range got {
		require.InDelta(t, want[i], got[i], 60)
	}
}

func TestPiecesGiveTheSameAsTheWhole(t *testing.T) {
	in := sine(22050, 22050, 700)
	whole, err := Resample(in, 22050, Rate)
	require.NoError(t, err)
	r, err := NewResampler(22050, Rate)
	require.NoError(t, err)
	var pieces []int16
	for n := 1; len(in) > 0; n = n*3%701 + 1 {
		n := min(n, len(in))
		pieces, in = r.Push(pieces, in[:n]), in[n:]
	}
	require.Equal(t, whole, r.Flush(pieces))
}

func TestSameRateIsACopy(t *testing.T) {
	in := sine(Rate, 100, 300)
	out, err := Resample(in, Rate, Rate)
	require.NoError(t, err)
	require.Equal(t, in, out)
}

func TestResamplingRefusesNonsense(t *testing.T) {
	for _, rates := range [][2]int{{0, Rate}, {Rate, 0}, {-1, Rate}, {Rate, 1 << 20}} {
		_, err := NewResampler(rates[0], rates[1])
		require.Error(t, err)
	}
}
