package calls_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
)

// byVersion has a claimed call name the version of its assistant's configuration in place of the configuration.
const byVersion = `UPDATE call SET assistant_config = NULL, assistant_version_id = assistant.version_id FROM assistant
	WHERE assistant.id = call.assistant_id AND call.id = $1`

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
	exec(byVersion, call.ID)
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

// A call that is queued again has no configuration until it is claimed again.
func TestRequeueForgetsVersion(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	call := f.QueuedCall(t)
	require.Len(t, f.Claim(t, call.ID, "process"), 1)
	_, err := f.Tx.Exec(t.Context(), byVersion, call.ID)
	require.NoError(t, err)
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
