package calls_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/spending"
)

// TestMakeDirectTogether makes calls of several accounts in one transaction, half of which cannot be made.
func TestMakeDirectTogether(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	other := dbfactory.Account(t, f.Tx)
	mute := dbfactory.Assistant(t, f.Tx, f.Account.ID)
	theirs, stranger := dbfactory.LinkedAssistant(t, f.Tx, other.ID), dbfactory.Contact(t, f.Tx, other.ID)
	ask := func(accountID, assistantID, contactID uuid.UUID, number string) *calls.DirectCall {
		return &calls.DirectCall{ID: dbfactory.ID(t), AccountID: accountID, AssistantID: assistantID, ContactID: contactID,
			PhoneNumber: number, CustomData: json.RawMessage(`{}`)}
	}
	of := f.Account.ID
	tests := []struct {
		asked *calls.DirectCall
		err   error
	}{
		{ask(of, f.Assistant.ID, uuid.Nil, "+31201234567"), nil},
		{ask(of, theirs.ID, uuid.Nil, "+31201234567"), calls.ErrUnknownAssistant},
		{ask(of, f.Assistant.ID, f.Contact.ID, ""), nil},
		{ask(of, mute.ID, f.Contact.ID, ""), calls.ErrNoNumber},
		{ask(of, f.Assistant.ID, stranger.ID, ""), calls.ErrUnknownContact},
		{ask(other.ID, theirs.ID, stranger.ID, ""), nil},
		{ask(other.ID, theirs.ID, uuid.Nil, f.Contact.PhoneNumber), nil},
		{ask(of, f.Assistant.ID, uuid.Nil, f.Contact.PhoneNumber), nil},
		{ask(of, f.Assistant.ID, dbfactory.ID(t), ""), calls.ErrUnknownContact},
	}
	var asked []*calls.DirectCall
	for _, test := range tests {
		asked = append(asked, test.asked)
	}
	asked = append(asked, ask(of, f.Assistant.ID, uuid.Nil, premium))
	results, err := calls.MakeDirect(t.Context(), f.Tx, f.Inserter, asked...)
	require.NoError(t, err)
	require.Len(t, results, len(asked))
	refusal, refused := results[len(tests)].Err.(*spending.Refusal)
	require.True(t, refused)
	require.Equal(t, spending.NumberType, refusal.Reason)
	results = results[:len(tests)]
	made := 0
	for i, test := range tests {
		if test.err != nil {
			require.ErrorIs(t, results[i].Err, test.err, i)
			require.Nil(t, results[i].Call, i)
			continue
		}
		made++
		require.NoError(t, results[i].Err, i)
		require.Equal(t, test.asked.ID, results[i].Call.ID, i)
		require.Equal(t, test.asked.AccountID, results[i].Call.AccountID, i)
		require.Equal(t, &test.asked.AssistantID, results[i].Call.AssistantID, i)
	}
	require.Equal(t, "Jan", *results[2].Call.ContactName)
	require.Equal(t, f.Contact.PhoneNumber, results[2].Call.ContactPhoneNumber)
	require.Nil(t, results[6].Call.ContactID, "another account's contact has that number")
	require.Equal(t, &f.Contact.ID, results[7].Call.ContactID, "a contact's number is recognised")
	require.Nil(t, results[0].Call.ContactID)

	var rows, events, jobs int
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT count(*) FROM call WHERE account_id IN ($1, $2)", of,
		other.ID).Scan(&rows))
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT count(*) FROM event WHERE account_id IN ($1, $2)", of,
		other.ID).Scan(&events))
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE kind = $1",
		calls.PlaceCallArgs{}.Kind()).Scan(&jobs))
	require.Equal(t, []int{made, made, made}, []int{rows, events, jobs})
}
