package calls_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/jobs/jobstest"
)

// A call has its assistant's configuration compressed, though neither row is long enough for Postgres to do so by itself.
func TestConfigurationIsCompressed(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	prompt := strings.Repeat("You are friendly and brief. ", 40)
	_, err := f.Tx.Exec(t.Context(), "UPDATE assistant SET config = config || jsonb_build_object('llm_content', $1::text)", prompt)
	require.NoError(t, err)
	call := f.QueuedCall(t)
	require.Len(t, f.Claim(t, call.ID, "process"), 1)

	for table, column := range map[string]string{"assistant": "config", "call": "assistant_config"} {
		var packed bool
		require.NoError(t, f.Tx.QueryRow(t.Context(),
			"SELECT pg_column_compression("+column+") IS NOT NULL FROM "+table+" WHERE account_id = $1", f.Account.ID).Scan(&packed))
		require.True(t, packed, table)
	}
	var left int
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT count(*) FROM assistant_packing").Scan(&left))
	require.Zero(t, left)
	var kept string
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT assistant_config ->> 'llm_content' FROM call WHERE id = $1",
		call.ID).Scan(&kept))
	require.Equal(t, prompt, kept)
}

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
