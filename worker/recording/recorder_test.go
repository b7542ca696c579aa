package recording

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/providers/files/dir"
	"github.com/callwright/callwright/providers/files/sealed"
	"github.com/callwright/callwright/voice/audio"
)

func TestRecorder(t *testing.T) {
	t.Parallel()
	for _, band := range []audio.Band{audio.Narrow, audio.Wide} {
		recordsIn(t, band)
	}
}

func recordsIn(t *testing.T, band audio.Band) {
	t.Helper()
	store, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	call, secret := &dbsqlc.Call{ID: uuid.New(), AccountID: uuid.New()}, sealed.NewSecret()

	recording, err := New(store, new(Writers), "draft", secret, band)
	require.NoError(t, err)
	far, near := make([]int16, band.FrameLen()), make([]int16, band.FrameLen())
	const frames = 301
	for i := range frames {
		for k := range far {
			far[k], near[k] = int16(i), int16(-i)
		}
		recording.Frame(far, near) // the slices are the clock's, and change
	}
	key, err := recording.Keep(t.Context(), call)
	require.NoError(t, err)
	recording.Frame(far, near) // a last tick after the end is no harm

	file, err := sealed.Open(t.Context(), store, key, secret)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	wav, err := audio.ReadWAV(file)
	require.NoError(t, err)
	require.Equal(t, band.Rate(), wav.Rate)
	require.Len(t, wav.Channels, 2)
	left, right := wav.Channels[0], wav.Channels[1]
	require.Len(t, left, frames*band.FrameLen())
	for i := range frames {
		require.EqualValues(t, i, left[i*band.FrameLen()], "the caller is left")
		require.EqualValues(t, -i, right[i*band.FrameLen()], "the assistant is right")
	}

	var none *Recorder
	none.Frame(far, near)
	key, err = none.Keep(t.Context(), call)
	require.NoError(t, err)
	require.Empty(t, key)
}

func TestARecordingThatTheDiskCannotFollowIsGivenUp(t *testing.T) {
	t.Parallel()

	folder := t.TempDir()
	store, err := dir.Open(folder)
	require.NoError(t, err)
	recording, err := New(store, new(Writers), "draft", sealed.NewSecret(), audio.Narrow)
	require.NoError(t, err)
	recording.queue = nil // nobody writes
	frame := make([]int16, audio.FrameLen)
	for range 10 * maxWaiting * sealed.SegmentSize / (4 * audio.FrameLen) {
		recording.Frame(frame, frame)
	}
	require.Len(t, recording.full, maxWaiting, "it takes no more memory")
	_, err = recording.Keep(t.Context(), nil)
	require.ErrorIs(t, err, errSlowDisk)
	remains, err := os.ReadDir(filepath.Join(folder, ".unfinished"))
	require.NoError(t, err)
	require.Empty(t, remains, "nothing of it is left")
}
