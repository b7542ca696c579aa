package jobs

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

	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/dir"
)

// addRecordedCall is an ended call with a turn and a recording in the store.
func addRecordedCall(t *testing.T, f *fixture) (callID uuid.UUID, key string) {
	t.Helper()
	call := f.endedCall(t)
	require.NoError(t, TurnsHeard(t.Context(), f.tx, f.inserter, &Turn{Call: call, Role: "user", Text: "Hello?", SecondsFromStart: 1.5}))
	key = "recordings/" + call.ID.String() + ".wav"
	_, err := f.tx.Exec(t.Context(), "UPDATE call SET recording_key = $2, summary = 'Hello.' WHERE id = $1", call.ID, key)
	require.NoError(t, err)
	require.NoError(t, f.deps.Files.Put(t.Context(), key, strings.NewReader("RIFF")))
	return call.ID, key
}

func setFiles(t *testing.T, f *fixture) {
	t.Helper()
	store, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	f.deps.Files = store
}

func fileKept(t *testing.T, f *fixture, key string) bool {
	t.Helper()
	file, _, err := f.deps.Files.Open(t.Context(), key)
	if errors.Is(err, files.ErrNotFound) {
		return false
	}
	require.NoError(t, err)
	require.NoError(t, file.Close())
	return true
}

func countTurns(t *testing.T, f *fixture, callID uuid.UUID) (count int) {
	t.Helper()
	require.NoError(t, f.tx.QueryRow(t.Context(), "SELECT count(*) FROM call_turn WHERE call_id = $1", callID).Scan(&count))
	return count
}

func TestDiscardCall(t *testing.T) {
	t.Parallel()

	f := setup(t)
	setFiles(t, f)
	callID, key := addRecordedCall(t, f)
	discard := &DiscardCallWorker{DB: f.deps.DB}
	require.Zero(t, work(t, f, discard, DiscardCallArgs{CallID: callID}))
	require.Equal(t, 1, countTurns(t, f, callID), "a call that nobody deleted is left alone")

	require.NoError(t, DeleteCall(t.Context(), f.tx, f.inserter, f.account.ID, callID))
	require.ErrorIs(t, DeleteCall(t.Context(), f.tx, f.inserter, f.account.ID, callID), ErrMoved)
	require.Positive(t, work(t, f, discard, DiscardCallArgs{CallID: callID}), "it waits for the report")
	require.Equal(t, 1, countTurns(t, f, callID))

	require.Zero(t, work(t, f, NewFinishCallWorker(f.deps.DB, f.reporter(), Starter{Models: f.deps.Models}.Start), FinishCallArgs{CallID: callID}))
	for range 2 {
		require.Zero(t, work(t, f, discard, DiscardCallArgs{CallID: callID}))
		require.Zero(t, work(t, f, &DiscardRecordingsWorker{DB: f.deps.DB, Files: f.deps.Files}, DiscardRecordingsArgs{AccountID: f.account.ID}))
	}
	require.Zero(t, countTurns(t, f, callID))
	require.False(t, fileKept(t, f, key))
	var summary, recordingKey *string
	var report string
	require.NoError(t, f.tx.QueryRow(t.Context(), "SELECT summary, recording_key FROM call WHERE id = $1", callID).Scan(&summary, &recordingKey))
	require.Nil(t, summary)
	require.Nil(t, recordingKey)
	require.NoError(t, f.tx.QueryRow(t.Context(), "SELECT payload ->> 'transcript' FROM event WHERE call_id = $1 AND type = 'end-of-call-report'", callID).Scan(&report))
	require.Equal(t, "User: Hello?\n", report, "the report tells what was said")
}

func TestDeleteCallOnlyOnceItEnded(t *testing.T) {
	t.Parallel()

	f := setup(t)
	call := f.queuedCall(t)
	require.ErrorIs(t, DeleteCall(t.Context(), f.tx, f.inserter, f.account.ID, call.ID), ErrMoved)
	require.Len(t, f.claim(t, call.ID, "process"), 1)
	require.ErrorIs(t, DeleteCall(t.Context(), f.tx, f.inserter, f.account.ID, call.ID), ErrMoved)
	f.end(t, call.ID, "process")
	require.ErrorIs(t, DeleteCall(t.Context(), f.tx, f.inserter, newID(t), call.ID), ErrMoved, "of another account")
	require.NoError(t, DeleteCall(t.Context(), f.tx, f.inserter, f.account.ID, call.ID))
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

// Whatever happens to the store or the process, the file is gone before its key is.
func TestDiscardRecordingsTriesAgain(t *testing.T) {
	t.Parallel()

	for name, after := range map[string]bool{"BeforeTheFileWasDeleted": false, "AfterIt": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			setFiles(t, f)
			callID, key := addRecordedCall(t, f)
			_, err := f.tx.Exec(t.Context(), "UPDATE call SET erased_at = now() WHERE id = $1", callID)
			require.NoError(t, err)
			away := &awayFiles{Store: f.deps.Files, after: after}
			f.deps.Files = away

			worker := rivertest.NewWorker(t, riverpgxv5.New(nil), &river.Config{}, &DiscardRecordingsWorker{DB: f.deps.DB, Files: f.deps.Files})
			_, err = worker.Work(t.Context(), t, f.tx, DiscardRecordingsArgs{AccountID: f.account.ID}, nil)
			require.ErrorContains(t, err, "the store is away")
			var recordingKey *string
			require.NoError(t, f.tx.QueryRow(t.Context(), "SELECT recording_key FROM call WHERE id = $1", callID).Scan(&recordingKey))
			require.Equal(t, key, *recordingKey)

			require.Zero(t, work(t, f, &DiscardRecordingsWorker{DB: f.deps.DB, Files: f.deps.Files}, DiscardRecordingsArgs{AccountID: f.account.ID}))
			require.False(t, fileKept(t, f, key))
			require.NoError(t, f.tx.QueryRow(t.Context(), "SELECT recording_key FROM call WHERE id = $1", callID).Scan(&recordingKey))
			require.Nil(t, recordingKey)
		})
	}
}
