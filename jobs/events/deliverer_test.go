package events_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/jobstest"
)

// always permits everything.
func always() func() error { return func() error { return nil } }

// startDeliverer is a process with a lease that delivers. What it returns ends it as if it died, except that its lease goes on.
func startDeliverer(t *testing.T, f *jobstest.Fixture, pool *pgxpool.Pool, process string,
	permit func() func() error) (d *events.Deliverer, kill func()) {
	t.Helper()
	require.NoError(t, dbsqlc.New().ProcessLeaseAcquire(t.Context(), pool, &dbsqlc.ProcessLeaseAcquireParams{ProcessID: process}))
	worker := deliverEvent(f)
	d = events.NewDeliverer(events.DelivererConfig{
		DB: pool, Worker: worker, Jobs: f.Inserter, ProcessID: process, Permit: permit, Places: 20, Logger: f.Services.Logger,
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ran := make(chan struct{})
	go func() {
		defer close(ran)
		d.Run(ctx)
	}()
	kill = func() {
		cancel()
		<-ran
		d.Stop(ctx)
		worker.Close()
	}
	t.Cleanup(kill)
	return d, kill
}

func delivered(t *testing.T, pool *pgxpool.Pool, count int) {
	t.Helper()
	require.Eventually(t, func() bool {
		var done, queued int
		require.NoError(t, pool.QueryRow(t.Context(),
			"SELECT count(*) FILTER (WHERE delivery = 'delivered'), (SELECT count(*) FROM delivery_queue) FROM event").Scan(&done,
			&queued))
		return done == count && queued == 0
	}, 30*time.Second, 5*time.Millisecond)
}

// What is written is delivered, once and each call's in order, whether before the process began or after, and leaves one attempt
// each.
func TestDeliverer(t *testing.T) {
	t.Parallel()

	const callCount = 20
	f, pool := jobstest.NewCommitted(t)
	server := newReceiver(t, nil)
	f.Webhook(t, &server.URL, callstate.EventTranscript)
	spoken := make([]*dbsqlc.Call, callCount)
	for i := range spoken {
		spoken[i] = f.QueuedCall(t)
		require.NoError(t, calls.AddTurns(t.Context(), f.Tx, &calls.Turn{Call: spoken[i], Position: 1, Role: "user", Text: "Hello."}))
	}
	require.NoError(t, f.Tx.Commit(t.Context()))
	d, _ := startDeliverer(t, f, pool, "one", always)
	startDeliverer(t, f, pool, "two", always)
	for position := int32(2); position <= 3; position++ {
		for _, call := range spoken {
			require.NoError(t, db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
				return calls.AddTurns(t.Context(), tx, &calls.Turn{Call: call, Position: position, Role: "user", Text: "Hello?"})
			}))
			d.Wake()
		}
	}
	delivered(t, pool, 3*callCount)
	rows, err := pool.Query(t.Context(), "SELECT id::text FROM event WHERE delivery = 'delivered' ORDER BY call_id, sequence")
	require.NoError(t, err)
	written, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	server.mu.Lock()
	defer server.mu.Unlock()
	came := map[string]int{}
	for i, request := range server.received {
		came[request.Header.Get("webhook-id")] = i
	}
	require.Len(t, server.received, 3*callCount)
	require.Len(t, came, 3*callCount, "none came twice")
	for i := range written {
		if i%3 > 0 {
			require.Less(t, came[written[i-1]], came[written[i]], "the events of a call come in their order")
		}
	}
	var logged, jobs int
	require.NoError(t,
		pool.QueryRow(t.Context(),
			`SELECT (SELECT count(*) FROM delivery_attempt), (SELECT count(*) FROM river_job WHERE kind = 'deliver_event')`).
			Scan(&logged, &jobs))
	require.Equal(t, 3*callCount, logged)
	require.Zero(t, jobs, "what is delivered at once needs no job")
}

// What fails is left to a job, which tries it again in its time.
func TestDelivererLeavesFailuresToJobs(t *testing.T) {
	t.Parallel()

	f, pool := jobstest.NewCommitted(t)
	server := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	id := addPendingEvents(t, f, server.URL, 1)[0]
	require.NoError(t, f.Tx.Commit(t.Context()))
	startDeliverer(t, f, pool, "one", always)
	var (
		attempts  int
		waits     *uuid.UUID
		scheduled float64
	)
	require.Eventually(t, func() bool {
		err := pool.QueryRow(t.Context(),
			`SELECT event.attempts, event.waits_for, extract(epoch FROM river_job.scheduled_at - now())::float8
			FROM event JOIN river_job ON river_job.id = event.job_id WHERE event.id = $1 AND event.delivery = 'pending'
				AND NOT EXISTS (SELECT FROM delivery_queue)`, id).Scan(&attempts, &waits, &scheduled)
		if errors.Is(err, pgx.ErrNoRows) {
			return false
		}
		require.NoError(t, err)
		return true
	}, 30*time.Second, 5*time.Millisecond)
	require.Equal(t, 1, attempts)
	require.Equal(t, getCommittedEndpoint(t, f, pool).ID, *waits)
	require.InDelta(t, events.DeliveryBackoff[0].Seconds(), scheduled, 4)
}

func getCommittedEndpoint(t *testing.T, f *jobstest.Fixture, pool *pgxpool.Pool) *dbsqlc.WebhookEndpoint {
	t.Helper()
	row, err := dbsqlc.New().WebhookEndpointGetForAccount(t.Context(), pool,
		&dbsqlc.WebhookEndpointGetForAccountParams{AccountID: f.Account.ID})
	require.NoError(t, err)
	return row
}

// An endpoint is one process's: another sends nothing of it while that one's lease lasts, and sends what was under way, under
// the same id, when that has ended.
func TestDelivererTakesWhatTheDeadLeft(t *testing.T) {
	t.Parallel()

	f, pool := jobstest.NewCommitted(t)
	var hangs atomic.Bool
	hangs.Store(true)
	arrived := make(chan struct{}, 10)
	server := newReceiver(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		if hangs.Load() {
			<-r.Context().Done()
		}
	})
	id := addPendingEvents(t, f, server.URL, 1)[0]
	require.NoError(t, f.Tx.Commit(t.Context()))
	_, kill := startDeliverer(t, f, pool, "dead", always)
	<-arrived
	kill()
	hangs.Store(false)

	queue := func(process string) []*dbsqlc.DeliveryQueueTakeRow {
		rows, err := dbsqlc.New().DeliveryQueueTake(t.Context(), pool, &dbsqlc.DeliveryQueueTakeParams{WorkerID: process, Most: 10})
		require.NoError(t, err)
		return rows
	}
	require.Empty(t, queue("heir"), "the lease lasts")
	require.Len(t, queue("dead"), 1)
	_, err := dbsqlc.New().ProcessLeaseEnd(t.Context(), pool, &dbsqlc.ProcessLeaseEndParams{ProcessID: "dead"})
	require.NoError(t, err)
	startDeliverer(t, f, pool, "heir", always)
	delivered(t, pool, 1)
	require.Len(t, server.received, 2)
	for _, request := range server.received {
		require.Equal(t, id.String(), request.Header.Get("webhook-id"))
	}
	require.Empty(t, queue("dead"), "the endpoint is the heir's")
}

// A process whose lease has run out sends nothing more.
func TestDelivererWithoutLease(t *testing.T) {
	t.Parallel()

	f, pool := jobstest.NewCommitted(t)
	server := newReceiver(t, nil)
	addPendingEvents(t, f, server.URL, 1)
	require.NoError(t, f.Tx.Commit(t.Context()))
	asked := make(chan struct{}, 100)
	var lapsed atomic.Bool
	lapsed.Store(true)
	d, _ := startDeliverer(t, f, pool, "one", func() func() error {
		return func() error {
			if lapsed.Load() {
				asked <- struct{}{}
				return errors.New("the lease has run out")
			}
			return nil
		}
	})
	<-asked
	require.Empty(t, server.received)
	lapsed.Store(false)
	d.Wake()
	delivered(t, pool, 1)
	require.Len(t, server.received, 1)
}
