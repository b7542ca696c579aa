package maintenance_test

import (
	"testing"

	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/maintenance"
)

// A configuration that an assistant had goes when the account has no call of its time.
func TestVersionsArePruned(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	exec := func(statement string, args ...any) {
		t.Helper()
		_, err := f.Tx.Exec(t.Context(), statement, args...)
		require.NoError(t, err)
	}
	replace := func(message string) {
		t.Helper()
		exec("UPDATE assistant SET config = config || jsonb_build_object('first_message', $2::text) WHERE id = $1", f.Assistant.ID, message)
	}
	left := func() int {
		t.Helper()
		require.NoError(t, (&maintenance.PruneExpiredWorker{DB: f.Tx}).Work(t.Context(), &river.Job[maintenance.PruneExpiredArgs]{}))
		return count(t, f, "assistant_version WHERE account_id = $1", f.Account.ID)
	}
	replace("First.")
	exec("UPDATE assistant_version SET replaced_at = now() - interval '3 days' WHERE account_id = $1 AND replaced_at IS NOT NULL", f.Account.ID)
	require.Equal(t, 1, left(), "no call refers to what was replaced")

	call := f.QueuedCall(t)
	require.Len(t, f.Claim(t, call.ID, "process"), 1)
	exec("UPDATE call SET id = uuid_at(now() - interval '5 days') WHERE id = $1", call.ID)
	replace("Second.")
	replace("Third.")
	require.Equal(t, 3, left(), "they were replaced just now")
	exec("UPDATE assistant_version SET replaced_at = now() - interval '2 hours' WHERE account_id = $1 AND replaced_at IS NOT NULL", f.Account.ID)
	require.Equal(t, 2, left(), "no call has ever named the second")
	exec("UPDATE assistant_version SET replaced_at = now() - interval '3 days' WHERE account_id = $1 AND replaced_at IS NOT NULL", f.Account.ID)
	require.Equal(t, 2, left(), "the call is of the first one's time")
	exec("DELETE FROM call WHERE account_id = $1", f.Account.ID)
	require.Equal(t, 1, left())
}
