package events_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/jobstest"
)

// addPendingEvents are events on their way to url.
func addPendingEvents(t *testing.T, f *jobstest.Fixture, url string, count int) []uuid.UUID {
	t.Helper()
	f.Webhook(t, &url, callstate.EventStatusUpdate)
	ids := make([]uuid.UUID, count)
	for i := range ids {
		call := f.QueuedCall(t)
		require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT id FROM event WHERE call_id = $1", call.ID).Scan(&ids[i]))
	}
	return ids
}

func getEndpoint(t *testing.T, f *jobstest.Fixture) *dbsqlc.WebhookEndpoint {
	t.Helper()
	row, err := dbsqlc.New().WebhookEndpointGetForAccount(t.Context(), f.Tx,
		&dbsqlc.WebhookEndpointGetForAccountParams{AccountID: f.Account.ID})
	require.NoError(t, err)
	return row
}

// endCooldown ends the cooldown of the endpoint.
func endCooldown(t *testing.T, f *jobstest.Fixture) {
	t.Helper()
	_, err := f.Tx.Exec(t.Context(), "UPDATE webhook_endpoint SET retry_at = now() - interval '1 second' WHERE account_id = $1",
		f.Account.ID)
	require.NoError(t, err)
}

func TestFailingEndpointRests(t *testing.T) {
	t.Parallel()

	var failing atomic.Bool
	failing.Store(true)
	f := jobstest.New(t)
	server := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		if failing.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	ids := addPendingEvents(t, f, server.URL, 14)
	worker := deliverEvent(f)
	deliver := func(i int) time.Duration {
		return jobstest.Work(t, f, worker, events.DeliverEventArgs{AccountID: f.Account.ID, EventID: ids[i]})
	}
	for i := range 9 {
		deliver(i)
		require.Nil(t, getEndpoint(t, f).RetryAt, i)
	}
	deliver(9)
	require.InDelta(t, 9, time.Until(*getEndpoint(t, f).RetryAt).Seconds(), 5, "from the tenth failure in a row on it is probed")

	require.Positive(t, deliver(10))
	require.Len(t, server.received, 10, "and is left in peace")

	endCooldown(t, f)
	require.Positive(t, deliver(11))
	require.Len(t, server.received, 11, "one event probes it")
	require.EqualValues(t, 1, getEndpoint(t, f).FailedProbes)
	require.InDelta(t, 9, time.Until(*getEndpoint(t, f).RetryAt).Seconds(), 5, "and another is to follow")
	require.Positive(t, deliver(12))
	require.Len(t, server.received, 11)

	endCooldown(t, f)
	failing.Store(false)
	require.Zero(t, deliver(12))
	endpoint := getEndpoint(t, f)
	require.Nil(t, endpoint.RetryAt)
	require.Zero(t, endpoint.Failures)
	require.Zero(t, endpoint.FailedProbes)
	require.Zero(t, deliver(13), "all is well again")
}

func TestProbeIsClaimedOnce(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	endpoint := getEndpoint(t, f)
	endCooldown(t, f)
	for _, want := range []int64{1, 0} {
		claimed, err := dbsqlc.New().WebhookEndpointClaimProbe(t.Context(), f.Tx,
			&dbsqlc.WebhookEndpointClaimProbeParams{ID: endpoint.ID})
		require.NoError(t, err)
		require.Equal(t, want, claimed)
	}
}

// TestAProbeThatHungDelaysNoOther: a receiver that is back is found as soon as after one that failed at once.
func TestAProbeThatHungDelaysNoOther(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	url := "https://customer.example"
	endpoint := f.Webhook(t, &url, callstate.EventStatusUpdate)
	for hung, next := range map[string]float64{"0 s": 9, "15 s": 1} {
		_, err := f.Tx.Exec(t.Context(), "UPDATE webhook_endpoint SET retry_at = now() + interval '20 s' - $1::interval WHERE id = $2",
			hung, endpoint.ID)
		require.NoError(t, err)
		_, err = dbsqlc.New().WebhookEndpointCount(t.Context(), f.Tx, &dbsqlc.WebhookEndpointCountParams{
			Ids: []uuid.UUID{endpoint.ID}, Succeeded: []bool{false}, Failures: []int32{1}, Dead: []int32{0}, Probes: []int32{1},
			Gone:        []bool{false},
			Unavailable: []bool{true},
		})
		require.NoError(t, err)
		var in float64
		require.NoError(t,
			f.Tx.QueryRow(t.Context(), "SELECT extract(epoch FROM retry_at - now())::float8 FROM webhook_endpoint WHERE id = $1",
				endpoint.ID).Scan(&in))
		require.InDelta(t, next, in, 1.01, hung)
	}
}

func TestFiftyDeadInARowDisable(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	server := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	ids := addPendingEvents(t, f, server.URL, 2)
	_, err := f.Tx.Exec(t.Context(), "UPDATE webhook_endpoint SET dead_in_row = 49 WHERE account_id = $1", f.Account.ID)
	require.NoError(t, err)
	_, err = f.Tx.Exec(t.Context(), "UPDATE event SET failed_attempts = $1", len(events.DeliveryBackoff))
	require.NoError(t, err)
	worker := deliverEvent(f)
	require.Zero(t, jobstest.Work(t, f, worker, events.DeliverEventArgs{AccountID: f.Account.ID, EventID: ids[0]}))
	endpoint := getEndpoint(t, f)
	require.False(t, endpoint.Enabled)
	require.Contains(t, *endpoint.DisabledReason, "50 deliveries")
	var recipient string
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT recipient FROM mail WHERE account_id = $1", f.Account.ID).Scan(&recipient))
	require.Equal(t, f.Account.Email, recipient, "its owner gets mail")

	require.Zero(t, jobstest.Work(t, f, worker, events.DeliverEventArgs{AccountID: f.Account.ID, EventID: ids[1]}))
	require.Len(t, server.received, 1, "nothing more is sent")
	endpoint = f.Webhook(t, endpoint.URL, callstate.EventStatusUpdate)
	require.True(t, endpoint.Enabled, "setting it again enables it")
	require.Zero(t, endpoint.DeadInRow)
}

func TestAnEventDoesNotWaitForEver(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	server := newReceiver(t, nil)
	id := addPendingEvents(t, f, server.URL, 1)[0]
	_, err := f.Tx.Exec(t.Context(),
		"UPDATE webhook_endpoint SET failures = 10, retry_at = now() + interval '1 hour' WHERE account_id = $1", f.Account.ID)
	require.NoError(t, err)
	worker := deliverEvent(f)
	require.Positive(t, jobstest.Work(t, f, worker, events.DeliverEventArgs{AccountID: f.Account.ID, EventID: id}))
	f.Services.Now = func() time.Time { return time.Now().Add(events.DeliveryLifetime) }
	_, err = f.Tx.Exec(t.Context(), "UPDATE webhook_endpoint SET retry_at = now() + interval '51 hours' WHERE account_id = $1",
		f.Account.ID)
	require.NoError(t, err)
	require.Zero(t, jobstest.Work(t, f, deliverEvent(f), events.DeliverEventArgs{AccountID: f.Account.ID, EventID: id}))
	var delivery string
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT delivery FROM event WHERE id = $1", id).Scan(&delivery))
	require.Equal(t, "dead", delivery)
	require.Empty(t, server.received)
	require.EqualValues(t, 1, getEndpoint(t, f).DeadInRow)
}

// TestRedeliveredOnItsWay redelivers an event while its first delivery is on its way. Both are answered at the same moment.
func TestRedeliveredOnItsWay(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	server := newReceiver(t, nil)
	id := addPendingEvents(t, f, server.URL, 1)[0]
	worker := deliverEvent(f)
	first, err := worker.Load(t.Context(), events.DeliverEventArgs{AccountID: f.Account.ID, EventID: id})
	require.NoError(t, err)
	event, err := events.Redeliver(t.Context(), f.Tx, f.Inserter, f.Account.ID, id)
	require.NoError(t, err)
	second, err := worker.Load(t.Context(), events.DeliverEventArgs{AccountID: f.Account.ID, EventID: id,
		Redelivery: event.Redelivery})
	require.NoError(t, err)
	require.NoError(t, worker.RecordAccepted(t.Context(), first, second))
	var delivery string
	var attempts, logged int
	require.NoError(t, f.Tx.QueryRow(t.Context(),
		"SELECT delivery, attempts, (SELECT count(*) FROM delivery_attempt WHERE event_id = event.id) FROM event WHERE id = $1", id).
		Scan(&delivery, &attempts, &logged))
	require.Equal(t, "delivered", delivery)
	require.Equal(t, 2, attempts)
	require.Equal(t, 2, logged)
}

func TestRedelivery(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	server := newReceiver(t, nil)
	id := addPendingEvents(t, f, server.URL, 1)[0]
	worker := deliverEvent(f)
	require.Zero(t, jobstest.Work(t, f, worker, events.DeliverEventArgs{AccountID: f.Account.ID, EventID: id}))
	event, err := events.Redeliver(t.Context(), f.Tx, f.Inserter, f.Account.ID, id)
	require.NoError(t, err)
	require.Equal(t, "pending", event.Delivery)
	require.Zero(t, jobstest.Work(t, f, worker, events.DeliverEventArgs{AccountID: f.Account.ID, EventID: id}),
		"the job of the redelivery before is moot")
	require.Len(t, server.received, 1)
	require.Zero(t, jobstest.Work(t, f, worker, events.DeliverEventArgs{AccountID: f.Account.ID, EventID: id,
		Redelivery: event.Redelivery}))
	require.Len(t, server.received, 2)
	require.Equal(t, server.received[0].Header.Get("webhook-id"), server.received[1].Header.Get("webhook-id"))
	var attempts, logged int
	require.NoError(t, f.Tx.QueryRow(t.Context(),
		"SELECT attempts, (SELECT count(*) FROM delivery_attempt WHERE event_id = event.id) FROM event WHERE id = $1",
		id).Scan(&attempts, &logged))
	require.Equal(t, 2, attempts)
	require.Equal(t, 2, logged)
}

func TestReplay(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	server := newReceiver(t, nil)
	ids := addPendingEvents(t, f, server.URL, 3)
	worker := deliverEvent(f)
	for _, id := range ids[:2] {
		require.Zero(t, jobstest.Work(t, f, worker, events.DeliverEventArgs{AccountID: f.Account.ID, EventID: id}))
	}
	require.NoError(t, events.Number(t.Context(), f.Tx, f.Account.ID))
	since, until := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	_, err := events.ReplayTime(t.Context(), f.Tx, f.Inserter, f.Account.ID, since, until, 1)
	require.ErrorIs(t, err, events.ErrReplayTooLong)
	count, err := events.ReplayTime(t.Context(), f.Tx, f.Inserter, f.Account.ID, until, until.Add(time.Hour), 10)
	require.NoError(t, err)
	require.Zero(t, count)
	count, err = events.ReplayTime(t.Context(), f.Tx, f.Inserter, f.Account.ID, since, until, 10)
	require.NoError(t, err)
	require.EqualValues(t, 2, count, "what is on its way is not sent again")

	args := events.ReplayEventsArgs{AccountID: f.Account.ID, AfterTime: since, Until: until}
	require.Zero(t, jobstest.Work(t, f, &events.ReplayEventsWorker{DB: f.Services.DB, Now: f.Services.Now}, args))
	rows, err := f.Tx.Query(t.Context(), "SELECT redelivery FROM event ORDER BY position")
	require.NoError(t, err)
	redeliveries, err := pgx.CollectRows(rows, pgx.RowTo[int])
	require.NoError(t, err)
	require.Equal(t, []int{1, 1, 0}, redeliveries)
	for _, id := range ids[:2] {
		require.Zero(t, jobstest.Work(t, f, worker, events.DeliverEventArgs{AccountID: f.Account.ID, EventID: id, Redelivery: 1}))
	}
	require.Len(t, server.received, 4)

	f.Webhook(t, &server.URL, callstate.EventHang)
	count, err = events.ReplayTime(t.Context(), f.Tx, f.Inserter, f.Account.ID, since, until, 10)
	require.NoError(t, err)
	require.Zero(t, count, "nobody wants them any more")
}

// A probe before the event's time is no attempt when it fails, and the event's last one when it succeeds.
func TestProbeBeforeTheTime(t *testing.T) {
	t.Parallel()

	var away atomic.Bool
	away.Store(true)
	f := jobstest.New(t)
	server := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		if away.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	id := addPendingEvents(t, f, server.URL, 1)[0]
	worker := deliverEvent(f)
	deliver := func() time.Duration {
		return jobstest.Work(t, f, worker, events.DeliverEventArgs{AccountID: f.Account.ID, EventID: id})
	}
	logged := func(attempts, failed int) {
		t.Helper()
		var counted, rung, rows int
		require.NoError(t, f.Tx.QueryRow(t.Context(),
			"SELECT attempts, failed_attempts, (SELECT count(*) FROM delivery_attempt WHERE event_id = event.id) FROM event WHERE id = $1",
			id).Scan(&counted, &rung, &rows))
		require.Equal(t, []int{attempts, failed, attempts}, []int{counted, rung, rows})
	}
	require.InDelta(t, 5, deliver().Seconds(), 1)
	logged(1, 1)
	_, err := f.Tx.Exec(t.Context(), "UPDATE event SET due_at = now() + interval '10 minutes' WHERE id = $1", id)
	require.NoError(t, err)
	require.InDelta(t, 600, deliver().Seconds(), 20)
	require.Len(t, server.received, 1, "it is too early for a probe")
	for probe := range 20 {
		endCooldown(t, f)
		require.InDelta(t, 600, deliver().Seconds(), 20)
		require.Len(t, server.received, 2+probe)
	}
	logged(1, 1)
	require.EqualValues(t, 20, getEndpoint(t, f).FailedProbes)
	endCooldown(t, f)
	away.Store(false)
	require.Zero(t, deliver())
	logged(2, 2)
	require.Nil(t, getEndpoint(t, f).RetryAt)
}
