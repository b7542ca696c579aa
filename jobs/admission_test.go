package jobs

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
)

func TestAdmission(t *testing.T) {
	t.Parallel()

	place := func(t *testing.T, f *fixture, call *dbsqlc.Call) {
		t.Helper()
		require.Zero(t, work(t, f, NewPlaceCallWorker(f.deps.DB, f.deps.Dialer, "process"), f.ticket(call.ID)))
	}
	queued := func(t *testing.T, f *fixture, count int) (calls []*dbsqlc.Call) {
		t.Helper()
		for range count {
			calls = append(calls, f.queuedCall(t))
		}
		return calls
	}

	t.Run("StartsCallsUpToTheLimitInOrder", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.limit(t, 2, 0)
		waiting := queued(t, f, 4)
		for _, last := range []int{3, 2, 1, 0} { // whatever the order of the tickets
			place(t, f, waiting[last])
		}
		require.Equal(t, []uuid.UUID{waiting[0].ID, waiting[1].ID}, f.dialer.dialed)
		place(t, f, waiting[3])
		require.Equal(t, "queued", f.call(t, waiting[3].ID).Status)
		require.Equal(t, "Waits for another call to end: the account runs at most 2 at once.", *f.call(t, waiting[3].ID).Explanation)
		place(t, f, waiting[2])
		require.NotNil(t, f.queuedCall(t).Explanation, "who comes behind them waits too")
	})

	t.Run("AnEndBringsTheNextTicket", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.limit(t, 1, 0)
		waiting := queued(t, f, 3)
		for _, call := range waiting {
			place(t, f, call)
		}
		before := len(f.tickets(t))
		f.end(t, waiting[0].ID, "process")
		require.Equal(t, waiting[1].ID, f.tickets(t)[before])
		require.Len(t, f.tickets(t), before+1, "one place, one ticket")
		place(t, f, waiting[1])
		require.Equal(t, []uuid.UUID{waiting[0].ID, waiting[1].ID}, f.dialer.dialed)
		require.Nil(t, f.call(t, waiting[1].ID).Explanation, "it waits no more")
	})

	// Two ends that see the same call wait both write a ticket that names it.
	t.Run("TicketsThatNameTheSameCallStartTwo", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		waiting := queued(t, f, 3)
		tickets := []*PlaceCallArgs{new(f.ticket(waiting[0].ID)), new(f.ticket(waiting[0].ID))}
		claimed, err := ClaimCalls(t.Context(), f.tx, f.inserter, tickets, "process")
		require.NoError(t, err)
		require.ElementsMatch(t, []uuid.UUID{waiting[0].ID, waiting[1].ID}, []uuid.UUID{claimed[tickets[0]].ID, claimed[tickets[1]].ID})
		require.Equal(t, "dialing", f.call(t, waiting[1].ID).Status)
	})

	t.Run("AHigherLimitWakesWhoWaits", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.limit(t, 0, 0)
		waiting := queued(t, f, 3)
		for _, call := range waiting {
			place(t, f, call)
		}
		before := len(f.tickets(t))
		f.limit(t, 2, 0)
		require.Equal(t, []uuid.UUID{waiting[0].ID, waiting[1].ID}, f.tickets(t)[before:])
	})

	t.Run("AnotherAccountIsNotHeldUp", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.limit(t, 0, 0)
		place(t, f, f.queuedCall(t))
		other := setupIn(t, f.tx)
		other.dialer = f.dialer
		call := other.queuedCall(t)
		place(t, other, call)
		require.Equal(t, "dialing", other.call(t, call.ID).Status)
	})

	t.Run("PlacesAreReservedForInboundCalls", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.limit(t, 3, 2)
		waiting := queued(t, f, 2)
		for _, call := range waiting {
			place(t, f, call)
		}
		require.Len(t, f.dialer.dialed, 1)
		require.Contains(t, *f.call(t, waiting[1].ID).Explanation, "keeps 2 of these places for inbound calls")
		for _, admitted := range []bool{true, true, false} {
			ok, err := AdmitInbound(t.Context(), f.tx, f.account.ID)
			require.NoError(t, err)
			require.Equal(t, admitted, ok)
			if ok {
				f.inboundCall(t)
			}
		}
	})

	t.Run("InboundCallsMayUseTheWholeLimit", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.limit(t, 2, 1)
		f.inboundCall(t)
		f.inboundCall(t)
		call := f.queuedCall(t)
		place(t, f, call)
		require.Equal(t, "queued", f.call(t, call.ID).Status)
	})

	t.Run("AnAccountThatIsGoneAdmitsNobody", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		ok, err := AdmitInbound(t.Context(), f.tx, newID(t))
		require.NoError(t, err)
		require.False(t, ok)
	})

	t.Run("WithoutALineTheTicketGoesBack", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.dialer.full = true
		call := f.queuedCall(t)
		require.LessOrEqual(t, work(t, f, NewPlaceCallWorker(f.deps.DB, f.deps.Dialer, "process"), f.ticket(call.ID)), time.Duration(0))
		require.Equal(t, "queued", f.call(t, call.ID).Status)
		require.Zero(t, f.dialer.booked)
	})

	t.Run("LostTicketsAreWrittenAgainOnce", func(t *testing.T) {
		t.Parallel()
		f := setup(t)
		f.limit(t, 2, 0)
		waiting := queued(t, f, 3)
		_, err := f.tx.Exec(t.Context(), "DELETE FROM river_job WHERE kind = 'place_call'")
		require.NoError(t, err)
		require.Zero(t, work(t, f, &WakeWaitingCallsWorker{DB: f.deps.DB}, WakeWaitingCallsArgs{}))
		require.Empty(t, f.tickets(t), "they are not waiting for long")
		_, err = f.tx.Exec(t.Context(), "UPDATE call SET updated_at = now() - interval '1 minute' WHERE account_id = $1", f.account.ID)
		require.NoError(t, err)
		for range 2 {
			accounts, err := dbsqlc.New().AccountListLongWaiting(t.Context(), f.tx)
			require.NoError(t, err)
			require.NoError(t, Wake(t.Context(), f.tx, f.inserter, accounts))
		}
		require.Equal(t, []uuid.UUID{waiting[0].ID, waiting[1].ID}, f.tickets(t))

	})
}
