package erasure_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertest"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/erasure"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/dir"
)

// addRecordedCall is an ended call with a turn and a recording in the store.
func addRecordedCall(t *testing.T, f *jobstest.Fixture) (callID uuid.UUID, key string) {
	t.Helper()
	call := f.EndedCall(t)
	require.NoError(t, calls.AddTurns(t.Context(), f.Tx,
		&calls.Turn{Call: call, Role: "user", Text: "Hello?", SecondsFromStart: 1.5}))
	key = recordings.Key(f.Account.ID, call.ID)
	_, err := f.Tx.Exec(t.Context(), "UPDATE call SET recording_key = $2, summary = 'Hello.' WHERE id = $1", call.ID, key)
	require.NoError(t, err)
	require.NoError(t, f.Services.Files.Put(t.Context(), key, strings.NewReader("RIFF")))
	return call.ID, key
}

func setFiles(t *testing.T, f *jobstest.Fixture) {
	t.Helper()
	store, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	f.Services.Files = store
}

func fileKept(t *testing.T, f *jobstest.Fixture, key string) bool {
	t.Helper()
	file, _, err := f.Services.Files.Open(t.Context(), key)
	if errors.Is(err, files.ErrNotFound) {
		return false
	}
	require.NoError(t, err)
	require.NoError(t, file.Close())
	return true
}

func countTurns(t *testing.T, f *jobstest.Fixture, callID uuid.UUID) (count int) {
	t.Helper()
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT count(*) FROM call_turn WHERE call_id = $1", callID).Scan(&count))
	return count
}

// discardJob returns the job that the deletion of a call made.
func discardJob(t *testing.T, f *jobstest.Fixture) (args erasure.DiscardRecordingsArgs) {
	t.Helper()
	require.NoError(t,
		f.Tx.QueryRow(t.Context(), "SELECT args FROM river_job WHERE kind = 'discard_recordings' ORDER BY id DESC LIMIT 1").Scan(&args))
	return args
}

func TestDiscardCall(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	setFiles(t, f)
	callID, key := addRecordedCall(t, f)
	discard := &erasure.DiscardCallWorker{DB: f.Services.DB}
	require.Zero(t, jobstest.Work(t, f, discard, erasure.DiscardCallArgs{CallID: callID}))
	require.Equal(t, 1, countTurns(t, f, callID), "a call that nobody deleted is left alone")

	require.NoError(t, calls.Delete(t.Context(), f.Tx, f.Inserter, f.Account.ID, callID))
	require.ErrorIs(t, calls.Delete(t.Context(), f.Tx, f.Inserter, f.Account.ID, callID), calls.ErrConflict)
	require.Positive(t, jobstest.Work(t, f, discard, erasure.DiscardCallArgs{CallID: callID}), "it waits for the report")
	require.Equal(t, 1, countTurns(t, f, callID))

	require.Zero(t, f.FinishCall(t, callID))
	for range 2 {
		require.Zero(t, jobstest.Work(t, f, discard, erasure.DiscardCallArgs{CallID: callID}))
		require.Zero(t, jobstest.Work(t, f, &erasure.DiscardRecordingsWorker{Files: f.Services.Files}, discardJob(t, f)))
	}
	require.Zero(t, countTurns(t, f, callID))
	require.False(t, fileKept(t, f, key))
	var summary, recordingKey *string
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT summary, recording_key FROM call WHERE id = $1", callID).Scan(&summary,
		&recordingKey))
	require.Nil(t, summary)
	require.Nil(t, recordingKey)
	report := dbfactory.Message[struct{ Transcript string }](t, f.Tx, "call_id = $1 AND type = 'end-of-call-report'", callID)
	require.Equal(t, "User: Hello?\n", report.Transcript, "the report tells what was said")
}

func TestDeleteCallOnlyOnceItEnded(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	call := f.QueuedCall(t)
	require.ErrorIs(t, calls.Delete(t.Context(), f.Tx, f.Inserter, f.Account.ID, call.ID), calls.ErrConflict)
	require.Len(t, f.Claim(t, call.ID, "process"), 1)
	require.ErrorIs(t, calls.Delete(t.Context(), f.Tx, f.Inserter, f.Account.ID, call.ID), calls.ErrConflict)
	f.End(t, call.ID, "process")
	require.ErrorIs(t, calls.Delete(t.Context(), f.Tx, f.Inserter, dbfactory.ID(t), call.ID), calls.ErrConflict,
		"of another account")
	require.NoError(t, calls.Delete(t.Context(), f.Tx, f.Inserter, f.Account.ID, call.ID))
}

// awayFiles is a file store that fails once, after it did its work or before.
type awayFiles struct {
	files.Store
	after bool
	calls int
}

func (s *awayFiles) Delete(ctx context.Context, key string) error {
	s.calls++
	if s.calls > 1 {
		return s.Store.Delete(ctx, key)
	}
	if s.after {
		if err := s.Store.Delete(ctx, key); err != nil {
			return err
		}
	}
	return errors.New("the store is away")
}

// Whatever happens to the store or the process, the file is deleted in the end.
func TestDiscardRecordingsTriesAgain(t *testing.T) {
	t.Parallel()

	for name, after := range map[string]bool{"BeforeTheFileWasDeleted": false, "AfterIt": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := jobstest.New(t)
			setFiles(t, f)
			callID, key := addRecordedCall(t, f)
			away := &awayFiles{Store: f.Services.Files, after: after}
			worker := rivertest.NewWorker(t, riverpgxv5.New(nil), &river.Config{}, &erasure.DiscardRecordingsWorker{Files: away})
			discard := erasure.DiscardRecordingsArgs{AccountID: f.Account.ID, CallIDs: []uuid.UUID{callID}}
			_, err := worker.Work(t.Context(), t, f.Tx, discard, nil)
			require.ErrorContains(t, err, "the store is away")
			_, err = worker.Work(t.Context(), t, f.Tx, discard, nil)
			require.NoError(t, err)
			require.False(t, fileKept(t, f, key))
		})
	}
}

// A call that ended as lost may have a file that its row does not know.
func TestDiscardCallDeletesAFileThatNoRowNames(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	setFiles(t, f)
	callID, key := addRecordedCall(t, f)
	_, err := f.Tx.Exec(t.Context(), "UPDATE call SET recording_key = NULL WHERE id = $1", callID)
	require.NoError(t, err)
	require.NoError(t, calls.Delete(t.Context(), f.Tx, f.Inserter, f.Account.ID, callID))
	require.Zero(t, f.FinishCall(t, callID))
	require.Zero(t, jobstest.Work(t, f, &erasure.DiscardCallWorker{DB: f.Services.DB}, erasure.DiscardCallArgs{CallID: callID}))
	require.Zero(t, jobstest.Work(t, f, &erasure.DiscardRecordingsWorker{Files: f.Services.Files}, discardJob(t, f)))
	require.False(t, fileKept(t, f, key))
}

// A recording that is put while its call goes on is left alone, that of an ended one is kept, and that of an erased one or
// of none is deleted.
func TestKeepRecording(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	setFiles(t, f)
	keep := func(callID uuid.UUID, missing *float64) (kept bool) {
		t.Helper()
		require.NoError(t, f.Services.Files.Put(t.Context(), recordings.Key(f.Account.ID, callID), strings.NewReader("RIFF")))
		kept, err := recordings.Keep(t.Context(), f.Tx, f.Services.Files, f.Account.ID, callID, missing)
		require.NoError(t, err)
		return kept
	}
	live := f.QueuedCall(t).ID
	require.Len(t, f.Claim(t, live, "process"), 1)
	require.False(t, keep(live, nil))
	require.True(t, fileKept(t, f, recordings.Key(f.Account.ID, live)))
	require.Nil(t, f.Call(t, live).RecordingKey)

	f.End(t, live, "process")
	for range 2 {
		require.True(t, keep(live, new(1.5)))
		require.Equal(t, recordings.Key(f.Account.ID, live), *f.Call(t, live).RecordingKey)
		require.InDelta(t, 1.5, *f.Call(t, live).RecordingMissingSeconds, 0)
	}
	_, err := f.Tx.Exec(t.Context(), "UPDATE call SET erased_at = now(), recording_key = NULL WHERE id = $1", live)
	require.NoError(t, err)
	for _, gone := range []uuid.UUID{live, dbfactory.ID(t)} {
		require.False(t, keep(gone, nil))
		require.False(t, fileKept(t, f, recordings.Key(f.Account.ID, gone)))
	}
	require.Nil(t, f.Call(t, live).RecordingKey)
}
