package worker

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/dir"
	"github.com/callwright/callwright/voice/audio"
)

// leftDraft is what a process that died left of the recording of a call: half a frame is written at its end.
func leftDraft(t *testing.T, store files.Store, call *dbsqlc.Call, seconds int) {
	t.Helper()
	draft, err := store.Drafts().New(recordingDraft(call, "host.example-17-0badcafe"))
	require.NoError(t, err)
	wav, err := audio.NewWAVWriter(draft, audio.Rate, 2)
	require.NoError(t, err)
	require.NoError(t, wav.WriteStereo(make([]int16, seconds*audio.Rate), nil))
	require.NoError(t, wav.WriteBytes([]byte{1, 2, 3}))
}

func countDrafts(t *testing.T, store files.Store) int {
	t.Helper()
	drafts, err := store.Drafts().List()
	require.NoError(t, err)
	return len(drafts)
}

func TestSalvage(t *testing.T) {
	t.Parallel()

	f, pool := jobstest.NewCommitted(t)
	f.Limit(t, 10, 0)
	live := f.QueuedCall(t)
	require.Len(t, f.Claim(t, live.ID, "process"), 1)
	lost, erased, empty := f.EndedCall(t), f.EndedCall(t), f.EndedCall(t)
	_, err := f.Tx.Exec(t.Context(), "UPDATE call SET started_at = ended_at - interval '20 seconds'")
	require.NoError(t, err)
	_, err = f.Tx.Exec(t.Context(), "UPDATE call SET erased_at = now() WHERE id = $1", erased.ID)
	require.NoError(t, err)
	require.NoError(t, f.Tx.Commit(t.Context()))
	store, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	for _, call := range []*dbsqlc.Call{live, lost, erased} {
		leftDraft(t, store, call, 17)
	}
	_, err = store.Drafts().New(recordingDraft(empty, "process"))
	require.NoError(t, err)
	_, err = store.Drafts().New("upload") // is none
	require.NoError(t, err)

	s := &salvager{pool: pool, files: store, logger: slog.New(slog.DiscardHandler)}
	require.NoError(t, s.round(t.Context(), time.Now()))
	require.Equal(t, 5, countDrafts(t, store), "somebody may still write them")
	for range 2 {
		require.NoError(t, s.round(t.Context(), time.Now().Add(3*time.Second)))
		require.Equal(t, 2, countDrafts(t, store), "of the live call, and what is no recording")
	}
	row, err := dbsqlc.New().CallGet(t.Context(), pool, &dbsqlc.CallGetParams{AccountID: f.Account.ID, ID: lost.ID})
	require.NoError(t, err)
	require.Equal(t, calls.RecordingKey(f.Account.ID, lost.ID), *row.RecordingKey)
	require.InDelta(t, 3, *row.RecordingMissingSeconds, 0.11)
	file, size, err := store.Open(t.Context(), *row.RecordingKey)
	require.NoError(t, err)
	require.EqualValues(t, 44+17*4*audio.Rate, size)
	wav, err := audio.ReadWAV(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.Len(t, wav.Channels[0], 17*audio.Rate)
	for _, call := range []*dbsqlc.Call{live, erased, empty} {
		_, _, err := store.Open(t.Context(), calls.RecordingKey(f.Account.ID, call.ID))
		require.ErrorIs(t, err, files.ErrNotFound)
	}

	require.NoError(t, s.round(t.Context(), time.Now().Add(time.Hour)))
	require.Zero(t, countDrafts(t, store), "no draft is older than an hour")
}

func TestSalvagerStops(t *testing.T) {
	t.Parallel()

	store, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	(&salvager{files: store, logger: slog.New(slog.DiscardHandler)}).run(ctx)
}
