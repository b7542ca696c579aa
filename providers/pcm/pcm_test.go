package pcm_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/pcm"
)

func tone(rate int, hertz, seconds float64) []int16 {
	out := make([]int16, int(seconds*float64(rate)))
	for i := range out {
		out[i] = int16(10_000 * math.Sin(2*math.Pi*hertz*float64(i)/float64(rate)))
	}
	return out
}

// level is the effective value of what lies in the middle, in dB below that of tone.
func level(samples []int16) float64 {
	middle := samples[len(samples)/4 : len(samples)*3/4]
	var sum float64
	for _, sample := range middle {
		sum += float64(sample) * float64(sample)
	}
	return 20 * math.Log10(math.Sqrt(sum/float64(len(middle)))/(10_000/math.Sqrt2)+1e-9)
}

func resample(t *testing.T, rate int, in []int16, chunk int) []int16 {
	t.Helper()
	r, err := pcm.NewResampler(rate)
	require.NoError(t, err)
	var out []int16
	for part := range slices.Chunk(in, chunk) {
		out = append(out, r.Write(part)...)
	}
	return append(out, r.Flush()...)
}

func bytesOf(samples []int16) []byte {
	var out []byte
	for _, sample := range samples {
		out = binary.LittleEndian.AppendUint16(out, uint16(sample))
	}
	return out
}

func TestResamplerKeepsSpeechAndDropsTheRest(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{11_025, 16_000, 22_050, 24_000, 44_100, 48_000} {
		for _, hertz := range []float64{100, 1000, 3000, 3400} {
			out := resample(t, rate, tone(rate, hertz, 0.5), 1000)
			require.InDelta(t, 4000, len(out), 1, "%d", rate)
			require.InDelta(t, 0, level(out), 0.2, "%d Hz at %d", hertz, rate)
		}
		for _, hertz := range []float64{4300, 5000, 5400} {
			out := resample(t, rate, tone(rate, hertz, 0.5), 1000)
			require.Less(t, level(out), -50.0, "%v Hz at %d", hertz, rate)
		}
	}
}

func TestResamplerKeepsTime(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{16_000, 22_050, 24_000} {
		out, want := resample(t, rate, tone(rate, 440, 0.5), 777), tone(pcm.Rate, 440, 0.5)
		for i := 1000; i < 3000; i++ {
			require.InDelta(t, want[i], out[i], 60, "sample %d from %d Hz", i, rate)
		}
	}
}

func TestResamplerDoesNotDependOnChunks(t *testing.T) {
	t.Parallel()
	in := tone(22_050, 700, 0.2)
	want := resample(t, 22_050, in, len(in))
	for _, chunk := range []int{1, 7, 160, 1023} {
		require.Equal(t, want, resample(t, 22_050, in, chunk), "%d", chunk)
	}
}

func TestResamplerOfTheSameRateAndOfBadOnes(t *testing.T) {
	t.Parallel()
	require.Equal(t, []int16{1, -2, 3}, resample(t, 8000, []int16{1, -2, 3}, 2))
	for _, rate := range []int{-1, 0, 7999, 192_001} {
		_, err := pcm.NewResampler(rate)
		require.Error(t, err)
	}
}

func TestResamplerClips(t *testing.T) {
	t.Parallel()
	square := make([]int16, 2400)
	for i := range square {
		square[i] = math.MaxInt16
		if i/60%2 == 1 {
			square[i] = math.MinInt16
		}
	}
	out := resample(t, 24_000, square, 500)
	require.Greater(t, slices.Max(out[100:700]), int16(32_000)) // overshoot does not wrap around
	for i := 110; i < 700; i += 20 {                            // the middle of each half wave
		require.Equal(t, i/20%2 == 0, out[i] > 0, "sample %d", i)
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	samples := tone(24_000, 500, 0.3)
	want := resample(t, 24_000, samples, len(samples))
	for name, r := range map[string]io.Reader{
		"whole":             bytes.NewReader(bytesOf(samples)),
		"one byte at once":  iotest.OneByteReader(bytes.NewReader(bytesOf(samples))),
		"end with the data": iotest.DataErrReader(bytes.NewReader(bytesOf(samples))),
		"half a sample":     bytes.NewReader(append(bytesOf(samples), 7)),
	} {
		var out []int16
		for chunk, err := range pcm.Stream(r, 24_000) {
			require.NoError(t, err, name)
			require.NotEmpty(t, chunk, name)
			out = append(out, chunk...)
		}
		require.Equal(t, want, out, name)
	}
}

func TestStreamEndsWithTheError(t *testing.T) {
	t.Parallel()
	for _, broken := range []error{errors.New("cut"), fmt.Errorf("cut: %w", io.EOF)} {
		r := io.MultiReader(bytes.NewReader(bytesOf(tone(8000, 500, 0.1))), iotest.ErrReader(broken))
		var samples int
		var errs []error
		for chunk, err := range pcm.Stream(r, 8000) {
			samples += len(chunk)
			if err != nil {
				errs = append(errs, err)
			}
		}
		require.Equal(t, 800, samples)
		require.Equal(t, []error{broken}, errs)
	}
	for _, err := range pcm.Stream(bytes.NewReader(nil), 1) {
		require.ErrorContains(t, err, "sampling rate")
	}
}

func TestWAVIsReadBack(t *testing.T) {
	t.Parallel()
	samples := tone(pcm.Rate, 300, 0.05)
	file := pcm.WAV(samples)
	require.Len(t, file, 44+2*len(samples))
	require.EqualValues(t, len(file)-8, binary.LittleEndian.Uint32(file[4:]))
	require.EqualValues(t, 2*len(samples), binary.LittleEndian.Uint32(file[40:]))
	r := bytes.NewReader(file)
	rate, err := pcm.ReadHeader(r)
	require.NoError(t, err)
	require.Equal(t, pcm.Rate, rate)
	rest, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, bytesOf(samples), rest)
}

func TestReadHeaderSkipsOtherChunks(t *testing.T) {
	t.Parallel()
	file := pcm.WAV([]int16{5})
	odd := append([]byte("LIST\x03\x00\x00\x00abc\x00"), file[12:]...)
	r := bytes.NewReader(append(file[:12:12], odd...))
	_, err := pcm.ReadHeader(r)
	require.NoError(t, err)
	require.Equal(t, 2, r.Len())
}

func FuzzReadHeader(f *testing.F) {
	good := pcm.WAV([]int16{1, 2})
	stereo := slices.Clone(good)
	stereo[22] = 2
	huge := slices.Clone(good)
	binary.LittleEndian.PutUint32(huge[16:], math.MaxUint32)
	for _, seed := range [][]byte{good, stereo, huge, good[:20], []byte("RIFF1234WAVEdata1234"), nil} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		rate, err := pcm.ReadHeader(bytes.NewReader(file))
		if err != nil {
			require.ErrorIs(t, err, pcm.ErrNotWAV)
			return
		}
		require.GreaterOrEqual(t, rate, pcm.Rate)
	})
}
