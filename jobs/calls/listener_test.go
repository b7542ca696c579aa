package calls_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
)

// TestWhoseKeyExpiresStopsListening has one key that works and one that has run out since.
func TestWhoseKeyExpiresStopsListening(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	call := talking(t, f)
	listen := func(expires time.Time) *dbsqlc.CallListener {
		_, key := dbfactory.APIKey(t, f.Tx, call.AccountID, func(p *dbsqlc.APIKeyInsertParams) { p.ExpiresAt = &expires })
		row, err := calls.AskToListen(t.Context(), f.Tx, &calls.Listener{
			ID: dbfactory.ID(t), AccountID: call.AccountID, CallID: call.ID, KeyID: &key.ID, Mode: callstate.ListenerListens, Offer: "v=0",
		})
		require.NoError(t, err)
		return row
	}
	stays := listen(time.Now().Add(time.Hour))
	listen(time.Now().Add(-time.Hour))
	live, err := calls.ListListeners(t.Context(), f.Tx, "process")
	require.NoError(t, err)
	require.Len(t, live, 1)
	require.Equal(t, stays.ID, live[0].ID)
}
