package audio

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
)

func TestStream(t *testing.T) {
	t.Parallel()
	samples := sine(24_000, 7200, 500)
	want, err := Resample(samples, 24_000, Rate)
	require.NoError(t, err)
	for name, r := range map[string]io.Reader{
		"whole":             bytes.NewReader(appendSamples(nil, samples)),
		"one byte at once":  iotest.OneByteReader(bytes.NewReader(appendSamples(nil, samples))),
		"end with the data": iotest.DataErrReader(bytes.NewReader(appendSamples(nil, samples))),
		"half a sample":     bytes.NewReader(append(appendSamples(nil, samples), 7)),
	} {
		var out []int16
		for chunk, err := range Stream(r, 24_000, Narrow) {
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
		r := io.MultiReader(bytes.NewReader(appendSamples(nil, sine(Rate, 800, 500))), iotest.ErrReader(broken))
		var samples int
		var errs []error
		for chunk, err := range Stream(r, Rate, Narrow) {
			samples += len(chunk)
			if err != nil {
				errs = append(errs, err)
			}
		}
		require.Equal(t, 800, samples)
		require.Equal(t, []error{broken}, errs)
	}
	for _, rate := range []int{-1, 0, 1, 7999, 192_001} {
		for _, err := range Stream(bytes.NewReader(nil), rate, Narrow) {
			require.ErrorContains(t, err, "sampling rate")
		}
	}
}

func TestEncodedWAVIsReadBack(t *testing.T) {
	t.Parallel()
	samples := sine(Rate, 400, 300)
	file := EncodeWAV(samples, Narrow)
	require.Len(t, file, 44+2*len(samples))
	require.EqualValues(t, len(file)-8, binary.LittleEndian.Uint32(file[4:]))
	require.EqualValues(t, 2*len(samples), binary.LittleEndian.Uint32(file[40:]))
	r := bytes.NewReader(file)
	rate, err := ReadStreamHeader(r)
	require.NoError(t, err)
	require.Equal(t, Rate, rate)
	rest, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, appendSamples(nil, samples), rest)
}

func TestReadStreamHeaderSkipsOtherChunks(t *testing.T) {
	t.Parallel()
	file := EncodeWAV([]int16{5}, Narrow)
	odd := append([]byte("LIST\x03\x00\x00\x00abc\x00"), file[12:]...)
	r := bytes.NewReader(append(file[:12:12], odd...))
	_, err := ReadStreamHeader(r)
	require.NoError(t, err)
	require.Equal(t, 2, r.Len())
}

func TestReadStreamHeaderTellsAnUnreadableStreamFromWhatIsNoWAV(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	_, err := ReadStreamHeader(io.MultiReader(bytes.NewReader(EncodeWAV(nil, Narrow)[:20]), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	require.NotErrorIs(t, err, ErrNotWAV)
}

func FuzzReadStreamHeader(f *testing.F) {
	good := EncodeWAV([]int16{1, 2}, Narrow)
	stereo := slices.Clone(good)
	stereo[22] = 2
	huge := slices.Clone(good)
	binary.LittleEndian.PutUint32(huge[16:], math.MaxUint32)
	for _, seed := range [][]byte{good, stereo, huge, good[:20], []byte("RIFF1234WAVEdata1234"), nil} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		rate, err := ReadStreamHeader(bytes.NewReader(file))
		if err != nil {
			require.ErrorIs(t, err, ErrNotWAV)
			return
		}
		require.GreaterOrEqual(t, rate, Rate)
	})
}
