package calls_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
)

// A call keeps the configuration that it started with, whatever becomes of its assistant.
func TestVersions(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	exec := func(statement string, args ...any) {
		t.Helper()
		_, err := f.Tx.Exec(t.Context(), statement, args...)
		require.NoError(t, err)
	}
	configure := func(message string) {
		t.Helper()
		exec("UPDATE assistant SET config = config || jsonb_build_object('first_message', $2::text) WHERE id = $1", f.Assistant.ID, message)
	}
	versions := func() (count int) {
		t.Helper()
		require.NoError(t, f.Tx.QueryRow(t.Context(), `SELECT count(*) FROM assistant_version
			WHERE account_id = $1 AND (replaced_at IS NULL) = (id = $2)`, f.Account.ID, version(t, f)).Scan(&count))
		return count
	}
	configure("First.")
	before := versions()
	configure("First.")
	exec("UPDATE assistant SET name = 'Other' WHERE id = $1", f.Assistant.ID)
	require.Equal(t, before, versions(), "what is written again is no other version")

	call := f.QueuedCall(t)
	require.Len(t, f.Claim(t, call.ID, "process"), 1)
	require.Equal(t, "First.", f.Call(t, call.ID).AssistantConfig.FirstMessage)
	configure("Second.")
	require.Equal(t, before+1, versions())
	require.Equal(t, "First.", f.Call(t, call.ID).AssistantConfig.FirstMessage)

	answered, err := calls.Advance(t.Context(), f.Tx, "process", &calls.Progress{CallID: call.ID, Status: "in-progress"})
	require.NoError(t, err)
	require.Equal(t, "First.", answered[0].AssistantConfig.FirstMessage)

	exec(`UPDATE call SET assistant_config = '{"first_message": "Own."}' WHERE id = $1`, call.ID)
	require.Equal(t, "Own.", f.Call(t, call.ID).AssistantConfig.FirstMessage, "what a server chose for the call alone")
}

func version(t *testing.T, f *jobstest.Fixture) (id uuid.UUID) {
	t.Helper()
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT version_id FROM assistant WHERE id = $1", f.Assistant.ID).Scan(&id))
	return id
}

// While a process of the version before may run, calls are written as that one reads them.
func TestCallsForVersionBefore(t *testing.T) {
	t.Parallel()
	dsn := dbtest.DSN(t)
	pool := dbtest.Open(t, dsn)
	_, err := pool.Exec(t.Context(), "INSERT INTO seal_key_holder (session, process, key_id) VALUES ('before', 'a worker', 'key')")
	require.NoError(t, err)
	beside := dbtest.Open(t, dsn)

	f := jobstest.NewIn(t, jobstest.Begin(t, beside))
	call := f.EndedCall(t)
	var copied, long bool
	require.NoError(t, f.Tx.QueryRow(t.Context(), `SELECT assistant_config IS NOT NULL AND assistant_version_id IS NULL,
		jsonb_typeof(timeline) = 'array' FROM call WHERE id = $1`, call.ID).Scan(&copied, &long))
	require.True(t, copied)
	require.True(t, long)
}

// A version that a call named in a transaction that was rolled back counts as unused, whoever named it.
func TestVersionIsUsed(t *testing.T) {
	t.Parallel()
	f, pool := jobstest.NewCommitted(t)
	call := f.QueuedCall(t)
	require.NoError(t, f.Tx.Commit(t.Context()))
	used := func(tx pgx.Tx, end func(context.Context) error) (used bool) {
		t.Helper()
		f.Tx = tx
		require.Len(t, f.Claim(t, call.ID, "process"), 1)
		require.NoError(t, end(t.Context()))
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT used FROM assistant_version WHERE replaced_at IS NULL").Scan(&used))
		return used
	}
	first := jobstest.Begin(t, pool)
	require.False(t, used(first, first.Rollback))
	second := jobstest.Begin(t, pool)
	require.True(t, used(second, second.Commit))
}

// A call that is queued again has no configuration until it is claimed again.
func TestRequeueForgetsVersion(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	call := f.QueuedCall(t)
	claimed := f.Claim(t, call.ID, "process")
	require.Len(t, claimed, 1)
	require.NotNil(t, claimed[0].AssistantVersionID)
	requeued, err := calls.Requeue(t.Context(), f.Tx, f.Inserter, "process", call.ID)
	require.NoError(t, err)
	require.Len(t, requeued, 1)
	require.Nil(t, requeued[0].AssistantVersionID)
}

// A configuration that is not there is an error: nothing is decided by one that is empty.
func TestVersionIsMissing(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	missing := uuid.New()
	err := calls.LoadConfigurations(t.Context(), f.Tx, &dbsqlc.Call{AssistantVersionID: &missing})
	require.ErrorContains(t, err, missing.String())
}

// The timeline of a call that is over is short in its row, and says the same. One that names who the call went to stays as it is.
func TestShortTimeline(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	call := f.EndedCall(t)
	var kept string
	var long jsonb.Timeline
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT timeline #>> '{}' FROM call WHERE id = $1", call.ID).Scan(&kept))
	require.Regexp(t, `^queued \d{16},dialing \d+,in-progress \d+,completed \d+$`, kept)
	ended := f.Call(t, call.ID)
	require.Len(t, ended.Timeline, 4)
	require.Equal(t, *ended.StartedAt, ended.Timeline[2].At.In(ended.StartedAt.Location()))
	require.Equal(t, *ended.EndedAt, ended.Timeline[3].At.In(ended.EndedAt.Location()))

	const forwarded = `[{"status": "forwarding", "at": "2026-11-24T00:00:00Z", "destination": "+31201234567"}]`
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT short_timeline($1, true)", forwarded).Scan(&long))
	require.Equal(t, "+31201234567", long[0].Destination)
	const queued = `[{"status": "queued", "at": "2026-11-24T00:00:00Z"}]`
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT short_timeline($1, false)::text", queued).Scan(&kept))
	require.JSONEq(t, queued, kept)
}
