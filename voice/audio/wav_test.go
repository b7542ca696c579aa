package audio

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestStereoRecordingKeepsItsSidesInStep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "call.wav")
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	w, err := NewWAVWriter(file, Rate, 2)
	require.NoError(t, err)
	require.NoError(t, w.WriteStereo([]int16{1, 2, 3}, []int16{-1, -2, -3}))
	require.NoError(t, w.WriteStereo([]int16{4}, []int16{-4, -5})) // a gap on one side is silence, not a shift
	require.EqualValues(t, 5, w.Samples())
	require.NoError(t, w.Close())

	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, uint32(len(raw)-8), le32(raw[4:]))
	require.Equal(t, uint32(20), le32(raw[40:]))
	wav, err := ReadWAV(bytes.NewReader(raw))
	require.NoError(t, err)
	require.Equal(t, &WAV{Rate: Rate, Channels: [][]int16{{1, 2, 3, 4, 0}, {-1, -2, -3, -4, -5}}}, wav)
	require.Equal(t, []int16{0, 0, 0, 0, -2}, wav.Mono())
}

func le32(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func TestRecordingOfACrashedProcessIsReadable(t *testing.T) {
	var file bytes.Buffer // cannot seek, and is never closed
	w, err := NewWAVWriter(&file, 16000, 1)
	require.NoError(t, err)
	require.NoError(t, w.Write([]int16{10, 20, 30, 40}))
	for cut, want := range [][]int16{{10, 20, 30, 40}, {10, 20, 30}, {10, 20, 30}, {10, 20}} {
		wav, err := ReadWAV(bytes.NewReader(file.Bytes()[:file.Len()-cut]))
		require.NoError(t, err)
		require.Equal(t, want, wav.Mono())
		require.Equal(t, 16000, wav.Rate)
	}
	require.NoError(t, w.Close())
}

func TestARecordingThatCouldNotSeekIsFinishedWhenItIsRead(t *testing.T) {
	var file bytes.Buffer
	w, err := NewWAVWriter(&file, Rate, 2)
	require.NoError(t, err)
	require.NoError(t, w.WriteStereo([]int16{1, 2, 3}, []int16{-1, -2, -3}))
	require.EqualValues(t, 3, WAVSamples(int64(file.Len()), 2))
	require.Zero(t, WAVSamples(20, 2))
	finished, err := FinishWAV(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	want := append(wavFormat{Rate, 2}.appendHeader(nil, 12), file.Bytes()[wavHeaderLen:]...)
	require.NoError(t, iotest.TestReader(finished, want))
	_, err = FinishWAV(bytes.NewReader([]byte("RIFF")), 4)
	require.ErrorIs(t, err, ErrNotWAV)
}

func TestOtherChunksAreSkipped(t *testing.T) {
	var file bytes.Buffer
	w, err := NewWAVWriter(&file, Rate, 1)
	require.NoError(t, err)
	require.NoError(t, w.Write([]int16{7, 8}))
	raw := file.Bytes()
	odd := append([]byte("LIST\x03\x00\x00\x00abc\x00"), raw[12:]...)
	wav, err := ReadWAV(bytes.NewReader(append(append([]byte{}, raw[:12]...), odd...)))
	require.NoError(t, err)
	require.Equal(t, []int16{7, 8}, wav.Mono())
}

func TestWhatIsNoWAVIsRefused(t *testing.T) {
	header := wavFormat{Rate, 1}.appendHeader(nil, 0)
	broken := func(at int, to byte) []byte {
		b := bytes.Clone(header)
		b[at] = to
		return b
	}
	for name, raw := range map[string][]byte{
		"empty":       {},
		"mp3":         []byte("ID3\x04 and so on and on"),
		"header only": header[:20],
		"no data":     header[:36],
		"8 bits":      broken(34, 8),
		"mu-law":      broken(20, 7),
		"no channels": broken(22, 0),
		"huge format": broken(17, 0xff),
	} {
		_, err := ReadWAV(bytes.NewReader(raw))
		require.ErrorIs(t, err, ErrNotWAV, name)
	}
	_, err := NewWAVWriter(&bytes.Buffer{}, 0, 1)
	require.Error(t, err)
}

func FuzzReadWAV(f *testing.F) {
	f.Add(wavFormat{Rate, 2}.appendHeader(nil, 4))
	f.Fuzz(func(t *testing.T, raw []byte) {
		wav, err := ReadWAV(bytes.NewReader(raw))
		if err == nil {
			require.LessOrEqual(t, 2*len(wav.Channels)*len(wav.Channels[0]), len(raw))
		}
	})
}
