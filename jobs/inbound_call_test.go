package jobs

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
)

const caller = "+31612345600"

// ringIn has a caller ring at a number.
func ringIn(t *testing.T, f *fixture, number string, change ...func(*Ring)) (*dbsqlc.Call, error) {
	t.Helper()
	ring := &Ring{CallID: newID(t), ProcessID: "process", SIPCallID: newID(t).String(), Number: number, Caller: caller}
	for _, change := range change {
		change(ring)
	}
	received, err := ReceiveCall(t.Context(), f.tx, f.inserter, ring)
	if err != nil {
		return nil, err
	}
	return received.Call, nil
}

// addCalled is a call that an assistant placed to the caller from its number.
func addCalled(t *testing.T, f *fixture, assistant *dbsqlc.Assistant) uuid.UUID {
	t.Helper()
	call, err := dbsqlc.New().CallInsertDirect(t.Context(), f.tx, &dbsqlc.CallInsertDirectParams{
		ID: newID(t), AccountID: assistant.AccountID, AssistantID: assistant.ID, ContactPhoneNumber: new(caller), CustomData: []byte(`{}`),
	})
	require.NoError(t, err)
	return call.ID
}

func TestReceiveCall(t *testing.T) {
	t.Parallel()

	t.Run("CustomNumber", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		number := dbfactory.Number(t, f.tx, f.account.ID)
		assistant := dbfactory.Assistant(t, f.tx, f.account.ID)
		dbfactory.Link(t, f.tx, assistant, number)
		call, err := ringIn(t, f, number.Number)
		require.NoError(t, err)
		require.Equal(t, assistant.ID, call.AssistantID)
		require.Equal(t, "Hello.", call.AssistantConfig.FirstMessage, "the configuration is pinned")
		require.Equal(t, &f.contact.ID, call.ContactID, "the caller is a contact")
		require.Equal(t, "ringing", call.Status)
		require.Equal(t, []string{"status-update:ringing"}, f.events(t, call.ID))
		_, err = CallsProgressed(t.Context(), f.tx, f.inserter, "process", &Progress{CallID: call.ID, Status: "in-progress"})
		require.NoError(t, err)
		require.Len(t, f.end(t, call.ID, "process"), 1)
		require.Equal(t, []string{"finish_call"}, f.jobKinds(t))
	})

	t.Run("Unknown", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		unlinked := dbfactory.Number(t, f.tx, f.account.ID)
		for _, number := range []string{"+31999999999", "anonymous", "", unlinked.Number} {
			_, err := ringIn(t, f, number)
			require.ErrorIs(t, err, ErrNobodyThere, number)
		}
	})

	t.Run("AnINVITEOnTwoWays", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		number := dbfactory.Number(t, f.tx, f.account.ID)
		dbfactory.Link(t, f.tx, dbfactory.Assistant(t, f.tx, f.account.ID), number)
		same := func(r *Ring) { r.SIPCallID = "one" }
		first, err := ringIn(t, f, number.Number, same)
		require.NoError(t, err)
		_, err = ringIn(t, f, number.Number, same)
		require.ErrorIs(t, err, ErrReceived)
		f.end(t, first.ID, "process")
		_, err = ringIn(t, f, number.Number, same)
		require.NoError(t, err, "a telephone may use its Call-ID again")
	})

	t.Run("SharedNumber", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		number := dbfactory.DefaultNumber(t, f.tx)
		link := func() *dbsqlc.Assistant {
			assistant := dbfactory.Assistant(t, f.tx, dbfactory.Account(t, f.tx).ID)
			dbfactory.Link(t, f.tx, assistant, number)
			return assistant
		}
		answers := func(want *dbsqlc.Assistant, change ...func(*Ring)) {
			t.Helper()
			call, err := ringIn(t, f, number.Number, change...)
			require.NoError(t, err)
			require.Equal(t, want.ID, call.AssistantID)
			require.Equal(t, want.AccountID, call.AccountID)
			require.Nil(t, call.ContactID, "another account's contact")
		}
		stranger := func(r *Ring) { r.Caller = "anonymous" }

		first := link()
		answers(first, stranger) // the only one there is
		second := link()
		_, err := ringIn(t, f, number.Number)
		require.ErrorIs(t, err, ErrNobodyThere, "it could be either")
		addCalled(t, f, first)
		answers(first)
		latest := addCalled(t, f, second)
		answers(second)
		_, err = ringIn(t, f, number.Number, stranger)
		require.ErrorIs(t, err, ErrNobodyThere)
		_, err = ringIn(t, f, number.Number, func(r *Ring) { r.Simulated = true })
		require.ErrorIs(t, err, ErrNobodyThere, "a real call is not called back from the simulated network")

		_, err = f.tx.Exec(t.Context(), "UPDATE call SET created_at = now() - interval '31 days' WHERE id = $1", latest)
		require.NoError(t, err)
		answers(first)
		require.NoError(t, dbsqlc.New().PhoneNumberLinkRemove(t.Context(), f.tx, &dbsqlc.PhoneNumberLinkRemoveParams{
			AccountID: first.AccountID, AssistantID: first.ID,
		}))
		answers(second) // now the only one
	})
}
