package calls_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/spending"
)

const premium = "+31900123456"

// setLimits sets limits of the fixture's account.
func setLimits(t *testing.T, f *jobstest.Fixture, params dbsqlc.AccountSetLimitsParams) {
	t.Helper()
	params.ID = f.Account.ID
	_, err := calls.SetLimits(t.Context(), f.Tx, f.Inserter, &params)
	require.NoError(t, err)
}

func minutes(n int32) dbsqlc.AccountSetLimitsParams {
	return dbsqlc.AccountSetLimitsParams{SetMaxDailyMinutes: true, MaxDailyMinutes: &n}
}

func today(t *testing.T, f *jobstest.Fixture) spending.Used {
	t.Helper()
	used, err := spending.Today(t.Context(), f.Tx, f.Account.ID)
	require.NoError(t, err)
	return used
}

func execIn(t *testing.T, f *jobstest.Fixture, sql string, args ...any) {
	t.Helper()
	_, err := f.Tx.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// claimNext claims what waits longest, none: nothing may.
func claimNext(t *testing.T, f *jobstest.Fixture) *dbsqlc.Call {
	t.Helper()
	for _, call := range f.Claim(t, uuid.Nil, "process") {
		return call
	}
	return nil
}

// endAfter ends a claimed call that was answered so long ago.
func endAfter(t *testing.T, f *jobstest.Fixture, call *dbsqlc.Call, lasted string) {
	t.Helper()
	_, err := calls.Advance(t.Context(), f.Tx, "process", &calls.Progress{CallID: call.ID, Status: callstate.StatusInProgress})
	require.NoError(t, err)
	execIn(t, f, "UPDATE call SET started_at = now() - interval '"+lasted+"' WHERE id = $1", call.ID)
	require.Len(t, f.End(t, call.ID, "process"), 1)
}

func TestDailyMinutes(t *testing.T) {
	t.Parallel()

	t.Run("LiveCallsHoldWhatTheyMayUse", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		setLimits(t, f, minutes(25))
		waiting := []*dbsqlc.Call{f.QueuedCall(t), f.QueuedCall(t), f.QueuedCall(t), f.QueuedCall(t), f.QueuedCall(t)}
		execIn(t, f, "UPDATE call SET simulated = true WHERE id = $1", waiting[4].ID)
		var live []*dbsqlc.Call
		for _, want := range []int32{600, 600, 300} { // the assistant's 10 minutes, and what is left of 25
			call := claimNext(t, f)
			require.Equal(t, want, *call.ReservedSeconds)
			live = append(live, call)
		}
		simulated := f.Claim(t, waiting[3].ID, "process")
		require.Len(t, simulated, 1)
		require.Equal(t, waiting[4].ID, simulated[0].ID, "it costs nothing")
		require.Nil(t, simulated[0].ReservedSeconds)
		require.Empty(t, f.Claim(t, waiting[3].ID, "process"))
		require.Equal(t, "Waits for another call to end: live calls hold what is left of today's minutes.",
			*f.Call(t, waiting[3].ID).Explanation)

		before := len(f.DispatchJobs(t))
		endAfter(t, f, live[0], "119.5 seconds")
		require.EqualValues(t, 120, today(t, f).CallSeconds)
		require.Len(t, f.DispatchJobs(t), before+1, "the end wakes who waits")
		call := claimNext(t, f)
		require.Equal(t, waiting[3].ID, call.ID)
		require.EqualValues(t, 25*60-120-600-300, *call.ReservedSeconds)
		require.Nil(t, call.Explanation)
	})

	t.Run("WhenTheyAreUsedQueuedCallsEnd", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		setLimits(t, f, minutes(10))
		waiting := []*dbsqlc.Call{f.QueuedCall(t), f.QueuedCall(t), f.QueuedCall(t)}
		execIn(t, f, "UPDATE call SET simulated = true WHERE id = $1", waiting[2].ID)
		endAfter(t, f, claimNext(t, f), "9 minutes 1 second")
		require.Equal(t, waiting[2].ID, claimNext(t, f).ID)
		ended := f.Call(t, waiting[1].ID)
		require.Equal(t, callstate.StatusFailed, ended.Status)
		require.Equal(t, callstate.ReasonStartErrorDestinationNotAllowed, *ended.EndedReason)
		require.Equal(t, callstate.FaultConfig, *ended.EndedFault)
		require.Contains(t, *ended.Error, "the 10 minutes of calls that it has in a day")
		require.Equal(t, []string{"status-update:queued", "status-update:failed"}, f.Events(t, ended.ID))
		require.Equal(t, map[string]int64{"daily_minutes": 1}, today(t, f).Refused)
		require.EqualValues(t, 541, today(t, f).CallSeconds, "nothing is charged for it")
		f.FinishCall(t, ended.ID)
		require.Len(t, f.SentReports(t, ended.ID), 1)
	})

	t.Run("OnlyOutboundCallsOfLiveKeysCount", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		for _, change := range []string{"simulated = true", "direction = 'inbound'"} {
			call := f.Claim(t, f.QueuedCall(t).ID, "process")[0]
			execIn(t, f, "UPDATE call SET "+change+" WHERE id = $1", call.ID)
			endAfter(t, f, call, "5 minutes")
		}
		f.End(t, f.Claim(t, f.QueuedCall(t).ID, "process")[0].ID, "process") // never answered
		require.Zero(t, today(t, f).CallSeconds)
	})

	t.Run("ARequeuedCallHoldsNothing", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		setLimits(t, f, minutes(10))
		f.QueuedCall(t)
		call := claimNext(t, f)
		require.NoError(t, calls.GiveBack(t.Context(), f.Tx, f.Inserter, "process", call.ID, 0, ""))
		require.Nil(t, f.Call(t, call.ID).ReservedSeconds)
		require.EqualValues(t, 600, *claimNext(t, f).ReservedSeconds)
	})
}

// TestDailyMinutesAtOnce has four processes claim, hold and end calls at the same time: together they use what the day has, to
// the second, and no more.
func TestDailyMinutesAtOnce(t *testing.T) {
	t.Parallel()
	const most, queued, processes = 7, 30, 4
	f, pool := jobstest.NewCommitted(t)
	setLimits(t, f, minutes(most))
	f.Limit(t, queued, 0)
	execIn(t, f, `UPDATE assistant SET config = config || '{"max_duration_seconds": 60}' WHERE id = $1`, f.Assistant.ID)
	for range queued {
		f.QueuedCall(t)
	}
	require.NoError(t, f.Tx.Commit(t.Context()))

	var group errgroup.Group
	for _, processID := range []string{"a", "b", "c", "d"}[:processes] {
		group.Go(func() error {
			for range queued {
				if err := talkOnce(t.Context(), pool, f, processID); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	counts := map[string]int{}
	rows, err := pool.Query(t.Context(), "SELECT status, count(*) FROM call GROUP BY status")
	require.NoError(t, err)
	var status string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&status, &n}, func() error { counts[status] = n; return nil })
	require.NoError(t, err)
	require.Equal(t, map[string]int{"completed": most, "failed": queued - most}, counts)
	used, err := spending.Today(t.Context(), pool, f.Account.ID)
	require.NoError(t, err)
	require.EqualValues(t, most*60, used.CallSeconds)
	require.Equal(t, map[string]int64{"daily_minutes": queued - most}, used.Refused)
}

// talkOnce claims a call, if there is one, and ends it after all of the time that it has.
func talkOnce(ctx context.Context, beginner db.Beginner, f *jobstest.Fixture, processID string) error {
	var claimed map[*calls.PlaceCallArgs]*dbsqlc.Call
	err := db.InTx(ctx, beginner, func(tx pgx.Tx) (err error) {
		claimed, err = calls.Claim(ctx, tx, f.Inserter, []*calls.PlaceCallArgs{{AccountID: f.Account.ID}}, processID)
		return err
	})
	if err != nil {
		return err
	}
	for _, call := range claimed {
		err := db.InTx(ctx, beginner, func(tx pgx.Tx) error {
			if _, err := calls.Advance(ctx, tx, processID, &calls.Progress{CallID: call.ID,
				Status: callstate.StatusInProgress}); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "UPDATE call SET started_at = now() - make_interval(secs => reserved_seconds) WHERE id = $1", call.ID)
			if err != nil {
				return err
			}
			_, err = calls.End(ctx, tx, f.Inserter, processID, map[uuid.UUID]calls.Ending{
				call.ID: {Status: "completed", Reason: "customer-ended-call", Fault: "customer"},
			})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func TestScheduledDestinations(t *testing.T) {
	t.Parallel()

	start := func(t *testing.T, f *jobstest.Fixture, scheduled *dbsqlc.ScheduledCall) *dbsqlc.ScheduledCall {
		t.Helper()
		require.Zero(t, jobstest.Work(t, f, startScheduledCall(f), calls.StartScheduledCallArgs{ScheduledCallID: scheduled.ID}))
		row, err := dbsqlc.New().ScheduledCallGetForUpdate(t.Context(), f.Tx,
			&dbsqlc.ScheduledCallGetForUpdateParams{AccountID: f.Account.ID, ID: scheduled.ID})
		require.NoError(t, err)
		return row
	}
	for name, test := range map[string]struct {
		change func(t *testing.T, f *jobstest.Fixture)
		reason spending.Reason
		says   string
	}{
		"TheContactMoved": {func(t *testing.T, f *jobstest.Fixture) {
			t.Helper()
			execIn(t, f, "UPDATE contact SET phone_number = $2 WHERE id = $1", f.Contact.ID, premium)
		}, spending.NumberType, "is a premium number"},
		"TheOperatorDecided": {func(t *testing.T, f *jobstest.Fixture) {
			t.Helper()
			setLimits(t, f, dbsqlc.AccountSetLimitsParams{SetAllowedCountries: true, AllowedCountries: []string{"BE"}})
		}, spending.Country, "is in NL"},
		"ItBecameOurNumber": {func(t *testing.T, f *jobstest.Fixture) {
			t.Helper()
			dbfactory.Number(t, f.Tx, f.Account.ID, func(p *dbsqlc.PhoneNumberInsertParams) { p.Number = f.Contact.PhoneNumber })
		}, spending.OwnNumber, "is a number of this account"},
		"ItWasCalledOften": {func(t *testing.T, f *jobstest.Fixture) {
			t.Helper()
			setLimits(t, f, dbsqlc.AccountSetLimitsParams{SetMaxCallsPerNumber: true, MaxCallsPerNumber: new(int32(1))})
			execIn(t, f, "INSERT INTO dialed_number VALUES ($1, $2, ARRAY[now()])", f.Account.ID, f.Contact.PhoneNumber)
		}, spending.CallsPerNumber, "was called as often as it may be"},
		"TheDayIsUsed": {func(t *testing.T, f *jobstest.Fixture) {
			t.Helper()
			setLimits(t, f, minutes(0))
		}, spending.DailyMinutes, "is not called today"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := jobstest.New(t)
			scheduled := f.ScheduledCall(t, time.Now().Add(-time.Minute), nil)
			require.NoError(t, whyNotScheduled(t, f))
			test.change(t, f)
			done := start(t, f, scheduled)
			require.Equal(t, "processed", done.Status)
			require.Nil(t, done.CallID)
			require.Contains(t, *done.Explanation, "Did not dial: the destination "+test.says)
			require.Empty(t, f.Dialer.Dialed)
			require.Zero(t, f.Dialer.Booked, "its place is given back")
			require.Equal(t, map[string]int64{string(test.reason): 1}, today(t, f).Refused)
			require.Zero(t, today(t, f).CallSeconds)
			if refusal, is := errors.AsType[*spending.Refusal](whyNotScheduled(t, f)); is {
				require.Equal(t, test.reason, refusal.Reason)
			}
		})
	}

	t.Run("CallsOfOneTimeToOneNumber", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		setLimits(t, f, dbsqlc.AccountSetLimitsParams{SetMaxCallsPerNumber: true, MaxCallsPerNumber: new(int32(2))})
		dialed := 0
		for range 4 {
			if start(t, f, f.ScheduledCall(t, time.Now().Add(-time.Minute), nil)).CallID != nil {
				dialed++
			}
		}
		require.Equal(t, 2, dialed)
		simulated := f.ScheduledCall(t, time.Now().Add(-time.Minute), func(p *calls.ScheduledCall) { p.Simulated = true })
		require.NotNil(t, start(t, f, simulated).CallID, "a test call rings nobody")
	})
}

// whyNotScheduled returns why no call to the contact can be scheduled.
func whyNotScheduled(t *testing.T, f *jobstest.Fixture) error {
	t.Helper()
	results, err := calls.MakeScheduled(t.Context(), f.Tx, f.Inserter, &calls.ScheduledCall{
		ID: dbfactory.ID(t), AccountID: f.Account.ID, AssistantID: f.Assistant.ID, ContactID: f.Contact.ID,
		At:                   time.Now().Add(time.Hour),
		ScheduledCallDetails: calls.ScheduledCallDetails{Variables: jsonb.Strings{}},
	})
	require.NoError(t, err)
	return results[0].Err
}

// TestManyAtOnceToOneNumber admits calls of one transaction to one number.
func TestManyAtOnceToOneNumber(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	setLimits(t, f, dbsqlc.AccountSetLimitsParams{SetMaxCallsPerNumber: true, MaxCallsPerNumber: new(int32(2))})
	var wanted []*spending.Destination
	for _, number := range []string{"+31201234567", "+31201234567", "+31201234568", "+31201234567", premium} {
		wanted = append(wanted, &spending.Destination{AccountID: f.Account.ID, Target: number})
	}
	refused, err := spending.AdmitMany(t.Context(), f.Tx, wanted...)
	require.NoError(t, err)
	require.Len(t, refused, 2)
	require.Equal(t, spending.CallsPerNumber, refused[wanted[3]].Reason)
	require.Equal(t, spending.NumberType, refused[wanted[4]].Reason)
}

// TestTransfersCount has a transfer count as a call to its destination.
func TestTransfersCount(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	setLimits(t, f, dbsqlc.AccountSetLimitsParams{SetMaxCallsPerNumber: true, MaxCallsPerNumber: new(int32(2))})
	call := f.Claim(t, f.QueuedCall(t).ID, "process")[0]
	for target, want := range map[string]spending.Reason{
		"+31201234567": "", "sip:desk@example.com": "", premium: spending.NumberType, "sip:" + premium +
			"@example.com": spending.NumberType,
		"+252612345678": spending.Country,
	} {
		err := calls.AdmitTransfer(t.Context(), f.Tx, call, target)
		refusal, is := errors.AsType[*spending.Refusal](err)
		require.Equal(t, want != "", is, "%s: %v", target, err)
		if is {
			require.Equal(t, want, refusal.Reason, target)
		}
	}
	require.NoError(t, calls.AdmitTransfer(t.Context(), f.Tx, call, "+31201234567"))
	require.ErrorContains(t, calls.AdmitTransfer(t.Context(), f.Tx, call, "sip:+31201234567@example.com"),
		"one number takes 2 calls in an hour")
}
