package calls_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
)

// TestGiveBack has a process claim a call and find that it cannot dial: the call waits again, in its turn, with its reason, and is
// dialed by the next process as if nothing had happened.
func TestGiveBack(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	f.Limit(t, 1, 0)
	first, second := f.QueuedCall(t), f.QueuedCall(t)
	require.Len(t, f.Claim(t, first.ID, "poor"), 1)
	require.Empty(t, f.Claim(t, second.ID, "poor"), "the account has one place")
	before := len(f.DispatchJobs(t))

	_, err := calls.GiveBack(t.Context(), f.Tx, f.Inserter, first.ID, "other", "Not mine.")
	require.ErrorIs(t, err, calls.ErrConflict)
	given, err := calls.GiveBack(t.Context(), f.Tx, f.Inserter, first.ID, "poor", "It lacks ports.")
	require.NoError(t, err)
	require.Equal(t, "queued", given.Status)
	require.Equal(t, "It lacks ports.", *given.Explanation)
	require.Nil(t, given.WorkerID)
	_, err = calls.GiveBack(t.Context(), f.Tx, f.Inserter, first.ID, "poor", "Again.")
	require.ErrorIs(t, err, calls.ErrConflict, "once")
	require.Equal(t, []uuid.UUID{first.ID}, f.DispatchJobs(t)[before:], "one place, one job")
	require.Equal(t, []string{"status-update:queued", "status-update:dialing", "status-update:queued"}, f.Events(t, first.ID))
	third := f.QueuedCall(t)
	require.NotNil(t, third.Explanation)
	require.NotEqual(t, "It lacks ports.", *third.Explanation, "nobody else waits for that reason")

	again := f.Claim(t, first.ID, "rich")
	require.Len(t, again, 1)
	require.Equal(t, first.ID, again[0].ID, "it kept its turn")
	require.Nil(t, again[0].Explanation)
	_, err = calls.Advance(t.Context(), f.Tx, f.Inserter, "rich", &calls.Progress{CallID: first.ID, Status: "ringing"})
	require.NoError(t, err)
	_, err = calls.GiveBack(t.Context(), f.Tx, f.Inserter, first.ID, "rich", "It rings.")
	require.ErrorIs(t, err, calls.ErrConflict)
}
