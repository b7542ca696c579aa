package calls_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/jobs/jobstest"
)

// Places are counted from a claim on: each has a greater number than those before it, also that of a process of the version
// before, which leaves the number to Postgres.
func TestClaimsAreNumbered(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	last := int64(-1)
	claimed := func(id any) {
		var number int64
		require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT claimed FROM call WHERE id = $1", id).Scan(&number))
		require.Greater(t, number, last)
		last = number
	}
	call := f.QueuedCall(t)
	for range 2 {
		require.Len(t, f.Claim(t, call.ID, "process"), 1)
		claimed(call.ID)
		_, err := f.Tx.Exec(t.Context(), "UPDATE call SET status = 'queued' WHERE id = $1", call.ID)
		require.NoError(t, err)
		_, err = f.Tx.Exec(t.Context(), "UPDATE call SET status = 'dialing' WHERE id = $1", call.ID)
		require.NoError(t, err)
		claimed(call.ID)
		_, err = f.Tx.Exec(t.Context(), "UPDATE call SET status = 'ringing' WHERE id = $1", call.ID)
		require.NoError(t, err)
		_, err = f.Tx.Exec(t.Context(), "UPDATE call SET status = 'queued' WHERE id = $1", call.ID)
		require.NoError(t, err)
	}
}
