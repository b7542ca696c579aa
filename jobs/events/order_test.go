package events_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/jobstest"
)

// The events of a call are sent in their order, in whichever order their jobs are worked; those of other calls pass.
func TestEventsOfACallInTheirOrder(t *testing.T) {
	t.Parallel()
	f, server := jobstest.New(t), newReceiver(t, nil)
	f.Webhook(t, &server.URL, callstate.EventStatusUpdate)
	call, other := f.QueuedCall(t), f.QueuedCall(t)
	require.Len(t, f.Claim(t, call.ID, "process"), 1)
	for _, status := range []string{"ringing", "in-progress"} {
		_, err := calls.Advance(t.Context(), f.Tx, "process", &calls.Progress{CallID: call.ID, Status: status})
		require.NoError(t, err)
	}
	rows, err := f.Tx.Query(t.Context(), "SELECT id FROM event WHERE call_id = $1 ORDER BY position", call.ID)
	require.NoError(t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	require.NoError(t, err)
	require.Len(t, ids, 3, "dialing makes no event")
	var others uuid.UUID
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT id FROM event WHERE call_id = $1", other.ID).Scan(&others))

	worker := deliverEvent(f)
	deliver := func(id uuid.UUID) time.Duration {
		return jobstest.Work(t, f, worker, events.DeliverEventArgs{AccountID: f.Account.ID, EventID: id})
	}
	require.NotZero(t, deliver(ids[2]))
	require.NotZero(t, deliver(ids[1]))
	require.Zero(t, deliver(others))
	for _, id := range ids {
		require.Zero(t, deliver(id))
	}
	var order []string
	for _, request := range server.received {
		order = append(order, request.Header.Get("webhook-id"))
	}
	require.Equal(t, []string{others.String(), ids[0].String(), ids[1].String(), ids[2].String()}, order)
}

// An event that is not attempted for long, whatever has become of its job, keeps no others back.
func TestEventThatIsStuckKeepsNoneBack(t *testing.T) {
	t.Parallel()
	f, server := jobstest.New(t), newReceiver(t, nil)
	f.Webhook(t, &server.URL, callstate.EventStatusUpdate)
	call := f.QueuedCall(t)
	require.Len(t, f.Claim(t, call.ID, "process"), 1)
	_, err := calls.Advance(t.Context(), f.Tx, "process", &calls.Progress{CallID: call.ID, Status: "ringing"})
	require.NoError(t, err)
	_, err = f.Tx.Exec(t.Context(), "UPDATE event SET pending_since = now() - interval '6 minutes' WHERE call_id = $1", call.ID)
	require.NoError(t, err)
	var last uuid.UUID
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT id FROM event WHERE call_id = $1 ORDER BY position DESC LIMIT 1",
		call.ID).Scan(&last))
	require.Zero(t, jobstest.Work(t, f, deliverEvent(f), events.DeliverEventArgs{AccountID: f.Account.ID, EventID: last}))
	require.Len(t, server.received, 1)
}

// TestLateCommitIsNumbered has a transaction draw its event's position long before it commits. Others are numbered meanwhile, and
// where numbering looks from has moved on as far as it may: not past that event.
func TestLateCommitIsNumbered(t *testing.T) {
	t.Parallel()

	f, pool := jobstest.NewCommitted(t)
	require.NoError(t, f.Tx.Commit(t.Context()))
	add := func(on dbsqlc.DBTX) {
		_, err := dbsqlc.New().EventInsertMany(t.Context(), on, &dbsqlc.EventInsertManyParams{
			Ids: []uuid.UUID{dbfactory.ID(t)}, AccountIds: []uuid.UUID{f.Account.ID}, Types: []string{"status-update"},
			CallIds:  []uuid.UUID{{}},
			Messages: [][]byte{dbfactory.Packed(t, `{}`)}, AssistantIds: []uuid.UUID{{}}, Optional: []bool{false},
		})
		require.NoError(t, err)
	}
	reach := func() (from, unnumbered int64) {
		require.NoError(t, events.Number(t.Context(), pool, f.Account.ID))
		err := pool.QueryRow(t.Context(), `SELECT numbered_to, (SELECT count(*) FROM event WHERE account_id = $1 AND sequence IS NULL)
			FROM event_counter WHERE account_id = $1`, f.Account.ID).Scan(&from, &unnumbered)
		require.NoError(t, err)
		return from, unnumbered
	}
	late := jobstest.Begin(t, pool)
	add(late)
	for range 5 {
		add(pool)
		from, unnumbered := reach()
		require.Zero(t, from, "the late one is not over")
		require.Zero(t, unnumbered)
	}
	require.NoError(t, late.Commit(t.Context()))
	_, unnumbered := reach()
	require.Zero(t, unnumbered)
	require.Eventually(t, func() bool { // transactions of other tests hold it back, too
		add(pool)
		from, unnumbered := reach()
		require.Zero(t, unnumbered)
		return from > 0
	}, time.Minute, 10*time.Millisecond)
	var gaps int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT max(sequence) - count(*) FROM event WHERE account_id = $1",
		f.Account.ID).Scan(&gaps))
	require.Zero(t, gaps)
}
