package events_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
)

// A process is given what is due for its endpoints once: numbered, read as far as there is room, and with the earlier event of
// the call that comes first.
func TestDeliveryQueueTake(t *testing.T) {
	t.Parallel()

	// begin writes events of a call and returns their positions.
	begin := func(t *testing.T, count int32) (f *jobstest.Fixture,
		take func(known *dbsqlc.DeliveryQueueTakeParams) []*dbsqlc.DeliveryQueueTakeRow, positions []int64) {
		t.Helper()
		f = jobstest.New(t)
		f.Webhook(t, new("https://example.com"), callstate.EventTranscript)
		require.NoError(t, dbsqlc.New().ProcessLeaseAcquire(t.Context(), f.Tx, &dbsqlc.ProcessLeaseAcquireParams{ProcessID: "one"}))
		call := f.QueuedCall(t)
		for position := range count {
			require.NoError(t, calls.AddTurns(t.Context(), f.Tx,
				&calls.Turn{Call: call, Position: position, Role: "user", Text: "Hello."}))
		}
		rows, err := f.Tx.Query(t.Context(), "SELECT position FROM event WHERE call_id = $1 AND type = 'transcript' ORDER BY position",
			call.ID)
		require.NoError(t, err)
		positions, err = pgx.CollectRows(rows, pgx.RowTo[int64])
		require.NoError(t, err)
		return f, func(params *dbsqlc.DeliveryQueueTakeParams) []*dbsqlc.DeliveryQueueTakeRow {
			params.WorkerID, params.Asked = "one", callstate.Questions()
			taken, err := dbsqlc.New().DeliveryQueueTake(t.Context(), f.Tx, params)
			require.NoError(t, err)
			return taken
		}, positions
	}
	change := func(t *testing.T, f *jobstest.Fixture, sql string, args ...any) {
		t.Helper()
		_, err := f.Tx.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}

	t.Run("ReadsWhatThereIsRoomFor", func(t *testing.T) {
		t.Parallel()
		_, take, positions := begin(t, 4)
		taken := take(&dbsqlc.DeliveryQueueTakeParams{Most: 3, Room: []int32{2}})
		require.Len(t, taken, 3)
		for i, row := range taken {
			require.Equal(t, positions[i], row.Position)
			require.Equal(t, i < 2, row.Sequence != 0 && row.Payload != "")
			require.Equal(t, i == 0, string(row.Endpoints) != "null", "the endpoints come once")
		}
		require.Zero(t, taken[0].Follows)
		require.Equal(t, positions[0], taken[1].Follows)
		rest := take(&dbsqlc.DeliveryQueueTakeParams{
			Most: 3, Known: []uuid.UUID{taken[0].EndpointID}, Behind: []int64{0}, Room: []int32{9, 1}, Held: positions[:2],
		})
		require.Len(t, rest, 2, "what is held is not taken again")
		require.Equal(t, positions[1], rest[0].Follows)
		require.Zero(t, rest[1].Sequence)
		require.Empty(t, take(&dbsqlc.DeliveryQueueTakeParams{
			Most: 3, Known: []uuid.UUID{taken[0].EndpointID}, Behind: []int64{positions[3]}, Room: []int32{9, 9},
		}))
	})

	t.Run("FollowsTheNearestThatWasNotAttempted", func(t *testing.T) {
		t.Parallel()
		f, take, positions := begin(t, 3)
		follows := func() int64 {
			taken := take(&dbsqlc.DeliveryQueueTakeParams{Most: 9, Room: []int32{9}, Held: positions[:2]})
			require.Len(t, taken, 1)
			require.NotZero(t, taken[0].Sequence)
			return taken[0].Follows
		}
		require.Equal(t, positions[1], follows())
		change(t, f, "UPDATE event SET attempts = 1, delivery = 'delivered', type = 'tool-calls' WHERE position = $1", positions[1])
		require.Equal(t, positions[0], follows(), "a question was asked out of turn")
		change(t, f, "UPDATE event SET type = 'transcript' WHERE position = $1", positions[1])
		require.Zero(t, follows(), "what was attempted waited for those before itself")
		change(t, f, "UPDATE event SET attempts = 0, delivery = 'none' WHERE position = $1", positions[1])
		change(t, f, "UPDATE event SET pending_since = now() - interval '6 minutes' WHERE position = $1", positions[0])
		require.Zero(t, follows(), "what is stuck keeps no others back")
	})

	t.Run("LeavesToBeReadWhatIsNotNew", func(t *testing.T) {
		t.Parallel()
		f, take, positions := begin(t, 2)
		unread := func() {
			taken := take(&dbsqlc.DeliveryQueueTakeParams{Most: 9, Room: []int32{9}, Held: positions[:1]})
			require.Len(t, taken, 1)
			require.Zero(t, taken[0].Sequence)
		}
		change(t, f, "UPDATE event SET redelivery = 1 WHERE position = $1", positions[1])
		unread()
		change(t, f, "UPDATE event SET redelivery = 0, delivery = 'delivered' WHERE position = $1", positions[1])
		unread()
		change(t, f, "UPDATE event SET delivery = 'pending' WHERE position = $1", positions[1])
		change(t, f, "UPDATE event SET waits_for = gen_random_uuid() WHERE position = $1", positions[0])
		unread() // it waits behind the earlier one
	})
}

// An event whose predecessor was not delivered is not sent as it was read, but waits behind it.
func TestDelivererHoldsWhatFollowsAFailure(t *testing.T) {
	t.Parallel()

	f, pool := jobstest.NewCommitted(t)
	server := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	f.Webhook(t, &server.URL, callstate.EventTranscript)
	call := f.QueuedCall(t)
	for position := range int32(3) {
		require.NoError(t, calls.AddTurns(t.Context(), f.Tx, &calls.Turn{Call: call, Position: position, Role: "user", Text: "Hello."}))
	}
	require.NoError(t, f.Tx.Commit(t.Context()))
	startDeliverer(t, f, pool, "one", always)
	require.Eventually(t, func() bool {
		var waiting, queued int
		require.NoError(t, pool.QueryRow(t.Context(),
			"SELECT count(*), (SELECT count(*) FROM delivery_queue) FROM event WHERE waits_for IS NOT NULL AND job_id IS NOT NULL").Scan(&waiting, &queued))
		return waiting == 3 && queued == 0
	}, 30*time.Second, 5*time.Millisecond)
	server.mu.Lock()
	defer server.mu.Unlock()
	require.Len(t, server.received, 1)
}

// A look at the queue that is cut off while it waits to claim an endpoint changes nothing: the next delivers.
func TestDelivererWhoseLookIsCutOff(t *testing.T) {
	t.Parallel()

	f, pool := jobstest.NewCommitted(t)
	server := newReceiver(t, nil)
	ids := addPendingEvents(t, f, server.URL, 3)
	require.NoError(t, f.Tx.Commit(t.Context()))
	other := jobstest.Begin(t, pool)
	_, err := other.Exec(t.Context(), "INSERT INTO delivery_claim (endpoint_id, worker_id) SELECT endpoint_id, 'other' FROM delivery_queue LIMIT 1")
	require.NoError(t, err)
	startDeliverer(t, f, pool, "one", always)
	require.Eventually(t, func() bool {
		var ended int
		require.NoError(t, pool.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%take_due_deliveries%'`).Scan(&ended))
		return ended > 0
	}, 30*time.Second, 5*time.Millisecond)
	var claims int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM delivery_claim").Scan(&claims))
	require.Zero(t, claims)
	require.NoError(t, other.Rollback(t.Context()))
	delivered(t, pool, len(ids))
	server.mu.Lock()
	defer server.mu.Unlock()
	require.Len(t, server.received, len(ids))
}

// A process that stands still in a transaction that numbers events holds up those of its account alone.
func TestDelivererWaitsForNoNumbers(t *testing.T) {
	t.Parallel()

	f, pool := jobstest.NewCommitted(t)
	still := jobstest.NewIn(t, f.Tx)
	server := newReceiver(t, nil)
	for _, one := range []*jobstest.Fixture{f, still} {
		addPendingEvents(t, one, server.URL, 1)
		_, err := f.Tx.Exec(t.Context(), "INSERT INTO event_counter (account_id) VALUES ($1)", one.Account.ID)
		require.NoError(t, err)
	}
	require.NoError(t, f.Tx.Commit(t.Context()))
	standing := jobstest.Begin(t, pool)
	_, err := standing.Exec(t.Context(), "SELECT FROM event_counter WHERE account_id = $1 FOR UPDATE", still.Account.ID)
	require.NoError(t, err)

	startDeliverer(t, f, pool, "one", always)
	require.Eventually(t, func() bool {
		var delivered bool
		require.NoError(t, pool.QueryRow(t.Context(),
			"SELECT delivery = 'delivered' FROM event WHERE account_id = $1", f.Account.ID).Scan(&delivered))
		return delivered
	}, 30*time.Second, 5*time.Millisecond)
	require.NoError(t, standing.Rollback(t.Context()))
	delivered(t, pool, 2)
}
