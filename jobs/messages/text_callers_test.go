package messages_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/messages"
	"github.com/callwright/callwright/jobs/spending"
)

// talkWith is a call that was talked on with a number, changed.
func talkWith(t *testing.T, f *jobstest.Fixture, number, change string) *dbsqlc.Call {
	t.Helper()
	call := f.AddTalk(t)
	_, err := f.Tx.Exec(t.Context(), "UPDATE call SET contact_phone_number = $2"+change+" WHERE id = $1", call.ID, number)
	require.NoError(t, err)
	return call
}

func refusedToday(t *testing.T, f *jobstest.Fixture) map[string]int64 {
	t.Helper()
	used, err := spending.Today(t.Context(), f.Tx, f.Account.ID)
	require.NoError(t, err)
	return used.Refused
}

func TestWhoIsWrittenTo(t *testing.T) {
	t.Parallel()
	const mobile, inbound = "+31612345611", ", direction = 'inbound'"
	texted := func(t *testing.T, f *jobstest.Fixture, call *dbsqlc.Call) bool {
		t.Helper()
		f.FinishCall(t, call.ID)
		return getText(t, f, call.ID) != nil
	}

	t.Run("WhoCalledAndSpoke", func(t *testing.T) {
		t.Parallel()
		f, _, _ := texting(t, "Thank you.")
		silent := talkWith(t, f, mobile, inbound)
		_, err := f.Tx.Exec(t.Context(), "DELETE FROM call_turn WHERE call_id = $1 AND role = 'user'", silent.ID)
		require.NoError(t, err)
		require.False(t, texted(t, f, silent), "a number that somebody showed, and half a second of nothing")
		require.True(t, texted(t, f, talkWith(t, f, mobile, inbound)))
	})
	t.Run("OnceADay", func(t *testing.T) {
		t.Parallel()
		f, _, _ := texting(t, "Thank you.")
		require.True(t, texted(t, f, talkWith(t, f, mobile, "")))
		require.False(t, texted(t, f, talkWith(t, f, mobile, "")))
		require.True(t, texted(t, f, talkWith(t, f, "+31612345612", "")))
		for range 2 {
			require.True(t, texted(t, f, talkWith(t, f, mobile, ", simulated = true")), "a test call writes to nobody")
		}
		_, err := f.Tx.Exec(t.Context(), "UPDATE sms SET created_at = created_at - interval '1 day'")
		require.NoError(t, err)
		require.True(t, texted(t, f, talkWith(t, f, mobile, "")))
		require.Empty(t, refusedToday(t, f))
	})
	t.Run("InAllowedCountries", func(t *testing.T) {
		t.Parallel()
		f, _, _ := texting(t, "Thank you.")
		require.False(t, texted(t, f, talkWith(t, f, "+252612345678", inbound)))
		require.False(t, texted(t, f, talkWith(t, f, "+447400123456", inbound)))
		require.True(t, texted(t, f, talkWith(t, f, "+4915112345678", inbound)))
		require.Equal(t, map[string]int64{"country": 2}, refusedToday(t, f))
	})
}

// TestTextsOfADayAtOnce finishes calls in many transactions at the same time, with fewer texts than calls.
func TestTextsOfADayAtOnce(t *testing.T) {
	t.Parallel()
	const most = 3
	f, pool := jobstest.NewCommitted(t)
	_, err := f.Tx.Exec(t.Context(), `UPDATE assistant SET config = config || '{"sms_message": "Thank you."}' WHERE id = $1`,
		f.Assistant.ID)
	require.NoError(t, err)
	_, err = calls.SetLimits(t.Context(), f.Tx, f.Inserter,
		&dbsqlc.AccountSetLimitsParams{ID: f.Account.ID, SetMaxDailyTexts: true, MaxDailyTexts: new(int32(most))})
	require.NoError(t, err)
	var ended []uuid.UUID
	for _, last := range "123456789" {
		ended = append(ended, talkWith(t, f, "+3161234562"+string(last), "").ID)
	}
	require.NoError(t, f.Tx.Commit(t.Context()))
	var group errgroup.Group
	for _, id := range ended {
		group.Go(func() error {
			return db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
				rows, err := dbsqlc.New().CallListByID(t.Context(), tx, &dbsqlc.CallListByIDParams{Ids: []uuid.UUID{id}})
				if err != nil {
					return err
				}
				if err := calls.LoadConfigurations(t.Context(), tx, rows...); err != nil {
					return err
				}
				return messages.TextCallers(t.Context(), tx, f.Inserter, rows, nil)
			})
		})
	}
	require.NoError(t, group.Wait())
	used, err := spending.Today(t.Context(), pool, f.Account.ID)
	require.NoError(t, err)
	require.EqualValues(t, most, used.Texts)
	require.Equal(t, map[string]int64{"daily_texts": int64(len(ended) - most)}, used.Refused)
	var written int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM sms").Scan(&written))
	require.Equal(t, most, written)
}
