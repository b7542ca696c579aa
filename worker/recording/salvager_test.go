package recording

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/dir"
	"github.com/callwright/callwright/providers/files/sealed"
	"github.com/callwright/callwright/voice/audio"
)

// leftDraft is what a process that died left of the recording of a wideband call: half a frame is written at its end.
func leftDraft(t *testing.T, store files.Store, call *dbsqlc.Call, seconds int) {
	t.Helper()
	draft, err := store.Drafts().New(DraftName(call, "host.example-17-0badcafe"))
	require.NoError(t, err)
	sealing, err := sealed.NewWriter(draft, secretOf(call))
	require.NoError(t, err)
	wav, err := audio.NewWAVWriter(sealing, audio.Wide.Rate(), 2)
	require.NoError(t, err)
	require.NoError(t, wav.WriteStereo(make([]int16, seconds*audio.Wide.Rate()), nil))
	_, err = draft.Write([]byte{1, 2, 3})
	require.NoError(t, err)
}

// secretOf is the secret of a call's recording in these tests, whose keys seal nothing.
func secretOf(call *dbsqlc.Call) string {
	return base64.RawStdEncoding.EncodeToString(append(call.ID[:], call.ID[:]...))
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
	for _, call := range []*dbsqlc.Call{lost, empty} {
		_, err = f.Tx.Exec(t.Context(), "UPDATE call SET recording_secret = $2 WHERE id = $1", call.ID, secretOf(call))
		require.NoError(t, err)
	}
	require.NoError(t, f.Tx.Commit(t.Context()))
	store, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	for _, call := range []*dbsqlc.Call{live, lost, erased} {
		leftDraft(t, store, call, 17)
	}
	_, err = store.Drafts().New(DraftName(empty, "process"))
	require.NoError(t, err)
	_, err = store.Drafts().New("upload") // is none
	require.NoError(t, err)

	s := &Salvager{Pool: pool, Files: store, Seal: jobstest.Unsealed{}, Logger: slog.New(slog.DiscardHandler)}
	require.NoError(t, s.round(t.Context(), time.Now()))
	require.Equal(t, 5, countDrafts(t, store), "somebody may still write them")
	for range 2 {
		require.NoError(t, s.round(t.Context(), time.Now().Add(3*time.Second)))
		require.Equal(t, 2, countDrafts(t, store), "of the live call, and what is no recording")
	}
	row, err := dbsqlc.New().CallGet(t.Context(), pool, &dbsqlc.CallGetParams{AccountID: f.Account.ID, ID: lost.ID})
	require.NoError(t, err)
	require.Equal(t, recordings.Key(f.Account.ID, lost.ID), *row.RecordingKey)
	file, err := sealed.Open(t.Context(), store, *row.RecordingKey, secretOf(lost))
	require.NoError(t, err)
	wav, err := audio.ReadWAV(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.Equal(t, audio.Wide.Rate(), wav.Rate)
	kept := float64(len(wav.Channels[0])) / float64(wav.Rate)
	require.Less(t, kept, 17.0)
	require.Greater(t, kept, 16.4, "a segment at most is lost")
	require.InDelta(t, 20-kept, *row.RecordingMissingSeconds, 0.11)
	for _, call := range []*dbsqlc.Call{live, erased, empty} {
		_, _, err := store.Open(t.Context(), recordings.Key(f.Account.ID, call.ID))
		require.ErrorIs(t, err, files.ErrNotFound)
	}

	require.NoError(t, s.round(t.Context(), time.Now().Add(time.Hour)))
	require.Zero(t, countDrafts(t, store), "no draft is older than an hour")
}

// The clock of the machine that stamps the files is an hour behind, or ours has jumped: a recording that is being made stays.
func TestSalvagerGoesByNoWallClock(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	store, err := dir.Open(folder)
	require.NoError(t, err)
	f, pool := jobstest.NewCommitted(t)
	f.Limit(t, 10, 0)
	live := f.QueuedCall(t)
	require.Len(t, f.Claim(t, live.ID, "process"), 1)
	require.NoError(t, f.Tx.Commit(t.Context()))
	draft, err := store.Drafts().New(DraftName(live, "process"))
	require.NoError(t, err)
	s := &Salvager{Pool: pool, Files: store, Seal: jobstest.Unsealed{}, Logger: slog.New(slog.DiscardHandler)}
	for now := range 3 {
		_, err := draft.Write([]byte{1, 2, 3})
		require.NoError(t, err)
		require.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)))
		}))
		require.NoError(t, s.round(t.Context(), time.Now().Add(time.Duration(now)*time.Second)))
		require.Equal(t, 1, countDrafts(t, store))
	}
	require.NoError(t, draft.Discard())
}

func TestSalvagerStops(t *testing.T) {
	t.Parallel()

	store, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	(&Salvager{Files: store, Logger: slog.New(slog.DiscardHandler)}).Run(ctx)
}
