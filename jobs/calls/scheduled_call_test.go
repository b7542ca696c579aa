package calls_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/spending"
)

// TestMakeScheduledTogether makes scheduled calls of several accounts in one transaction, half of which cannot be made.
func TestMakeScheduledTogether(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	other, of := dbfactory.Account(t, f.Tx), f.Account.ID
	mute, theirs := dbfactory.Assistant(t, f.Tx, of), dbfactory.LinkedAssistant(t, f.Tx, other.ID)
	stranger := dbfactory.Contact(t, f.Tx, other.ID)
	dear := dbfactory.Contact(t, f.Tx, of, func(c *dbsqlc.Contact) { c.PhoneNumber = premium })
	ask := func(accountID, assistantID, contactID uuid.UUID) *calls.ScheduledCall {
		return &calls.ScheduledCall{
			ID: dbfactory.ID(t), AccountID: accountID, AssistantID: assistantID, ContactID: contactID,
			At:                   time.Now().Add(time.Hour).Truncate(time.Microsecond),
			ScheduledCallDetails: calls.ScheduledCallDetails{Variables: jsonb.Strings{}},
		}
	}
	full := ask(of, mute.ID, f.Contact.ID)
	full.Simulated, full.ScheduledCallDetails = true, calls.ScheduledCallDetails{
		Instruction: new("Be <brief>,\n\"now\"."), Variables: jsonb.Strings{"day": "Monday"},
		Retry:  &jsonb.Retry{On: []string{"busy"}, MaxAttempts: 2},
		Window: &jsonb.Window{Timezone: "UTC", Days: []string{"mon"}, Start: "09:00", End: "17:00"},
	}
	silent := ask(of, f.Assistant.ID, f.Contact.ID)
	silent.Instruction = new("")
	tests := []struct {
		asked *calls.ScheduledCall
		err   error
	}{
		{ask(of, f.Assistant.ID, f.Contact.ID), nil},
		{ask(of, theirs.ID, f.Contact.ID), calls.ErrUnknownAssistant},
		{full, nil}, // it may get a number until then
		{ask(of, f.Assistant.ID, stranger.ID), calls.ErrUnknownContact},
		{ask(other.ID, theirs.ID, stranger.ID), nil},
		{ask(of, f.Assistant.ID, dear.ID), &spending.Refusal{Reason: spending.NumberType}},
		{ask(of, dbfactory.ID(t), stranger.ID), calls.ErrUnknownAssistant},
		{silent, nil},
	}
	var asked []*calls.ScheduledCall
	for _, test := range tests {
		asked = append(asked, test.asked)
	}
	results, err := calls.MakeScheduled(t.Context(), f.Tx, f.Inserter, asked...)
	require.NoError(t, err)
	made := 0
	for i, test := range tests {
		if refusal, is := test.err.(*spending.Refusal); is {
			require.Equal(t, refusal.Reason, results[i].Err.(*spending.Refusal).Reason)
		} else {
			require.ErrorIs(t, results[i].Err, test.err, i)
		}
		if test.err != nil {
			require.Nil(t, results[i].Call, i)
			continue
		}
		made++
		read, err := dbsqlc.New().ScheduledCallGet(t.Context(), f.Tx,
			&dbsqlc.ScheduledCallGetParams{AccountID: test.asked.AccountID, ID: test.asked.ID})
		require.NoError(t, err)
		require.Equal(t, read, results[i].Call, i)
		row := read.ScheduledCall
		stored := calls.ScheduledCallDetails{Instruction: row.Instruction, Variables: row.Variables, Retry: row.Retry,
			Window: row.Window}
		require.Equal(t, test.asked.ScheduledCallDetails, stored)
		require.True(t, test.asked.At.Equal(row.ScheduledTime))
		require.Equal(t, test.asked.Simulated, row.Simulated)
	}
	none, err := calls.MakeScheduled(t.Context(), f.Tx, f.Inserter, ask(of, theirs.ID, stranger.ID))
	require.NoError(t, err)
	require.ErrorIs(t, none[0].Err, calls.ErrUnknownAssistant)

	var rows, alarms int
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT count(*) FROM scheduled_call WHERE account_id IN ($1, $2)", of,
		other.ID).Scan(&rows))
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE kind = $1",
		calls.StartScheduledCallArgs{}.Kind()).Scan(&alarms))
	require.Equal(t, []int{made, made}, []int{rows, alarms})
}
