package calls_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
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

// TestWhoSignsOutStopsListening has a person's sessions that work, that signed out, that went on to another account, and that is
// not known: a process of the version before asked.
func TestWhoSignsOutStopsListening(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	call := talking(t, f)
	person := dbfactory.Member(t, f.Tx, call.AccountID, "developer")
	other := dbfactory.Account(t, f.Tx)
	dbfactory.Join(t, f.Tx, other.ID, person.ID, "developer")
	queries := dbsqlc.New()
	listen := func(end func(sessionID uuid.UUID) error) uuid.UUID {
		_, session := dbfactory.Session(t, f.Tx, call.AccountID, person.ID)
		row, err := calls.AskToListen(t.Context(), f.Tx, &calls.Listener{
			ID: dbfactory.ID(t), AccountID: call.AccountID, CallID: call.ID, PersonID: &person.ID, SessionID: &session.ID,
			Mode: callstate.ListenerListens, Offer: "v=0",
		})
		require.NoError(t, err)
		require.NoError(t, end(session.ID))
		return row.ID
	}
	stays := listen(func(uuid.UUID) error { return nil })
	unknown := listen(func(uuid.UUID) error {
		_, err := f.Tx.Exec(t.Context(), "UPDATE call_listener SET session_id = NULL WHERE id <> $1", stays)
		return err
	})
	listen(func(id uuid.UUID) error {
		_, err := queries.SessionRevoke(t.Context(), f.Tx, &dbsqlc.SessionRevokeParams{PersonID: &person.ID, ID: id})
		return err
	})
	listen(func(id uuid.UUID) error {
		_, err := queries.SessionSetAccount(t.Context(), f.Tx,
			&dbsqlc.SessionSetAccountParams{AccountID: other.ID, PersonID: &person.ID, ID: id})
		return err
	})
	live, err := calls.ListListeners(t.Context(), f.Tx, "process")
	require.NoError(t, err)
	require.Len(t, live, 2)
	require.Equal(t, []uuid.UUID{stays, unknown}, []uuid.UUID{live[0].ID, live[1].ID})
}
