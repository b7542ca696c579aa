package calls_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
)

func placeCall(f *jobstest.Fixture) *calls.PlaceCallWorker {
	return calls.NewPlaceCallWorker(f.Services.DB, f.Services.Dialer, "process")
}

func TestAdmission(t *testing.T) {
	t.Parallel()

	place := func(t *testing.T, f *jobstest.Fixture, call *dbsqlc.Call) {
		t.Helper()
		require.Zero(t, jobstest.Work(t, f, placeCall(f), f.DispatchJob(call.ID)))
	}
	queued := func(t *testing.T, f *jobstest.Fixture, count int) (calls []*dbsqlc.Call) {
		t.Helper()
		for range count {
			calls = append(calls, f.QueuedCall(t))
		}
		return calls
	}

	t.Run("StartsCallsUpToTheLimitInOrder", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		f.Limit(t, 2, 0)
		waiting := queued(t, f, 4)
		for _, last := range []int{3, 2, 1, 0} { // whatever the order of the jobs
			place(t, f, waiting[last])
		}
		require.Equal(t, []uuid.UUID{waiting[0].ID, waiting[1].ID}, f.Dialer.Dialed)
		place(t, f, waiting[3])
		require.Equal(t, "queued", f.Call(t, waiting[3].ID).Status)
		require.Equal(t, "Waits for another call to end: the account runs at most 2 at once.", *f.Call(t, waiting[3].ID).Explanation)
		place(t, f, waiting[2])
		require.NotNil(t, f.QueuedCall(t).Explanation, "who comes behind them waits too")
	})

	t.Run("AnEndBringsTheNextTicket", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		f.Limit(t, 1, 0)
		waiting := queued(t, f, 3)
		for _, call := range waiting {
			place(t, f, call)
		}
		before := len(f.DispatchJobs(t))
		f.End(t, waiting[0].ID, "process")
		require.Equal(t, waiting[1].ID, f.DispatchJobs(t)[before])
		require.Len(t, f.DispatchJobs(t), before+1, "one place, one job")
		place(t, f, waiting[1])
		require.Equal(t, []uuid.UUID{waiting[0].ID, waiting[1].ID}, f.Dialer.Dialed)
		require.Nil(t, f.Call(t, waiting[1].ID).Explanation, "it waits no more")
	})

	// Two ends that see the same call wait both write a job that names it.
	t.Run("JobsThatNameTheSameCallStartTwo", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		waiting := queued(t, f, 3)
		dispatches := []*calls.PlaceCallArgs{new(f.DispatchJob(waiting[0].ID)), new(f.DispatchJob(waiting[0].ID))}
		claimed, err := calls.Claim(t.Context(), f.Tx, f.Inserter, dispatches, "process")
		require.NoError(t, err)
		require.ElementsMatch(t, []uuid.UUID{waiting[0].ID, waiting[1].ID},
			[]uuid.UUID{claimed[dispatches[0]].ID, claimed[dispatches[1]].ID})
		require.Equal(t, "dialing", f.Call(t, waiting[1].ID).Status)
	})

	t.Run("AHigherLimitWakesWhoWaits", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		f.Limit(t, 0, 0)
		waiting := queued(t, f, 3)
		for _, call := range waiting {
			place(t, f, call)
		}
		before := len(f.DispatchJobs(t))
		f.Limit(t, 2, 0)
		require.Equal(t, []uuid.UUID{waiting[0].ID, waiting[1].ID}, f.DispatchJobs(t)[before:])
	})

	t.Run("AnotherAccountIsNotHeldUp", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		f.Limit(t, 0, 0)
		place(t, f, f.QueuedCall(t))
		other := jobstest.NewIn(t, f.Tx)
		other.Dialer = f.Dialer
		call := other.QueuedCall(t)
		place(t, other, call)
		require.Equal(t, "dialing", other.Call(t, call.ID).Status)
	})

	t.Run("PlacesAreReservedForInboundCalls", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		f.Limit(t, 3, 2)
		waiting := queued(t, f, 2)
		for _, call := range waiting {
			place(t, f, call)
		}
		require.Len(t, f.Dialer.Dialed, 1)
		require.Contains(t, *f.Call(t, waiting[1].ID).Explanation, "keeps 2 of these places for inbound calls")
		for _, admitted := range []bool{true, true, false} {
			ok, err := calls.AdmitInbound(t.Context(), f.Tx, f.Account.ID)
			require.NoError(t, err)
			require.Equal(t, admitted, ok)
			if ok {
				f.InboundCall(t)
			}
		}
	})

	t.Run("InboundCallsMayUseTheWholeLimit", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		f.Limit(t, 2, 1)
		f.InboundCall(t)
		f.InboundCall(t)
		call := f.QueuedCall(t)
		place(t, f, call)
		require.Equal(t, "queued", f.Call(t, call.ID).Status)
	})

	t.Run("AnAccountThatIsGoneAdmitsNobody", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		ok, err := calls.AdmitInbound(t.Context(), f.Tx, dbfactory.ID(t))
		require.NoError(t, err)
		require.False(t, ok)
	})

	t.Run("WithoutALineTheTicketGoesBack", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		f.Dialer.Full = true
		call := f.QueuedCall(t)
		require.LessOrEqual(t, jobstest.Work(t, f, placeCall(f), f.DispatchJob(call.ID)), time.Duration(0))
		require.Equal(t, "queued", f.Call(t, call.ID).Status)
		require.Zero(t, f.Dialer.Booked)
	})

	t.Run("LostTicketsAreWrittenAgainOnce", func(t *testing.T) {
		t.Parallel()
		f := jobstest.New(t)
		f.Limit(t, 2, 0)
		waiting := queued(t, f, 3)
		_, err := f.Tx.Exec(t.Context(), "DELETE FROM river_job WHERE kind = 'place_call'")
		require.NoError(t, err)
		require.Zero(t, jobstest.Work(t, f, &calls.WakeWaitingCallsWorker{DB: f.Services.DB}, calls.WakeWaitingCallsArgs{}))
		require.Empty(t, f.DispatchJobs(t), "they are not waiting for long")
		_, err = f.Tx.Exec(t.Context(), "UPDATE call SET updated_at = now() - interval '1 minute' WHERE account_id = $1", f.Account.ID)
		require.NoError(t, err)
		for range 2 {
			accounts, err := dbsqlc.New().AccountListLongWaiting(t.Context(), f.Tx)
			require.NoError(t, err)
			require.NoError(t, calls.Wake(t.Context(), f.Tx, f.Inserter, accounts))
		}
		require.Equal(t, []uuid.UUID{waiting[0].ID, waiting[1].ID}, f.DispatchJobs(t))

	})
}

// TestCallsInFrontOfTheHead has a call come into the queue that is older than one that was claimed before, as when the clocks of
// two machines differ: its own job sees it.
func TestCallsInFrontOfTheHead(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	f.Limit(t, 2, 0)
	place := func(call *dbsqlc.Call) { require.Zero(t, jobstest.Work(t, f, placeCall(f), f.DispatchJob(call.ID))) }
	first := f.QueuedCall(t)
	place(first)
	id := db.UUIDAt(time.Now().Add(-time.Hour))
	copy(id[8:], first.ID[8:])
	old, err := calls.InsertDirect(t.Context(), f.Tx, &calls.DirectCall{
		ID: id, AccountID: f.Account.ID, AssistantID: f.Assistant.ID, ContactID: f.Contact.ID, CustomData: []byte(`{}`),
	})
	require.NoError(t, err)
	place(old)
	require.Equal(t, []uuid.UUID{first.ID, old.ID}, f.Dialer.Dialed)
	third := f.QueuedCall(t)
	place(third)
	require.Equal(t, "queued", f.Call(t, third.ID).Status, "both are counted")
}
