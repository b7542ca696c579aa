package calls_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
)

const caller = "+31612345600"

// ringIn has a caller ring at a number.
func ringIn(t *testing.T, f *jobstest.Fixture, number string, change ...func(*calls.Ring)) (*dbsqlc.Call, error) {
	t.Helper()
	ring := &calls.Ring{CallID: dbfactory.ID(t), ProcessID: "process", SIPCallID: dbfactory.ID(t).String(), Number: number,
		Caller: caller}
	for _, change := range change {
		change(ring)
	}
	arrival, err := calls.Route(t.Context(), f.Tx, ring)
	if err != nil {
		return nil, err
	}
	received, err := calls.Receive(t.Context(), f.Tx, arrival)
	require.NoError(t, err)
	return received[arrival].Call, received[arrival].Refused
}

func TestReceiveCall(t *testing.T) {
	t.Parallel()

	t.Run("CustomNumber", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		number := dbfactory.Number(t, f.Tx, f.Account.ID)
		assistant := dbfactory.Assistant(t, f.Tx, f.Account.ID)
		dbfactory.Link(t, f.Tx, assistant, number)
		call, err := ringIn(t, f, number.Number)
		require.NoError(t, err)
		require.Equal(t, &assistant.ID, call.AssistantID)
		require.Equal(t, "Hello.", call.AssistantConfig.FirstMessage, "the configuration is pinned")
		require.Equal(t, &f.Contact.ID, call.ContactID, "the caller is a contact")
		require.Equal(t, "ringing", call.Status)
		require.Equal(t, []string{"status-update:ringing"}, f.Events(t, call.ID))
		_, err = calls.Advance(t.Context(), f.Tx, "process", &calls.Progress{CallID: call.ID, Status: "in-progress"})
		require.NoError(t, err)
		require.Len(t, f.End(t, call.ID, "process"), 1)
		require.Equal(t, []string{"finish_call"}, f.JobKinds(t))
	})

	t.Run("Unknown", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		unlinked := dbfactory.Number(t, f.Tx, f.Account.ID)
		for _, number := range []string{"+31999999999", "anonymous", "", unlinked.Number} {
			_, err := ringIn(t, f, number)
			require.ErrorIs(t, err, calls.ErrNoAssistant, number)
		}
	})

	t.Run("AnINVITEOnTwoWays", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		number := dbfactory.Number(t, f.Tx, f.Account.ID)
		dbfactory.Link(t, f.Tx, dbfactory.Assistant(t, f.Tx, f.Account.ID), number)
		same := func(r *calls.Ring) { r.SIPCallID = "one" }
		first, err := ringIn(t, f, number.Number, same)
		require.NoError(t, err)
		_, err = ringIn(t, f, number.Number, same)
		require.ErrorIs(t, err, calls.ErrDuplicate)
		f.End(t, first.ID, "process")
		_, err = ringIn(t, f, number.Number, same)
		require.NoError(t, err, "a telephone may use its Call-ID again")
	})
}
