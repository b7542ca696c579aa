package calls_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/queue"
)

// patientDialer holds every call until the test is over, and tells which ones it got.
type patientDialer struct {
	jobstest.FakeDialer
	places chan struct{}
	dialed chan uuid.UUID
	over   chan struct{}
}

func (d *patientDialer) Reserve(ctx context.Context, wait time.Duration) (calls.Place, bool) {
	select {
	case d.places <- struct{}{}:
		return &patientPlace{dialer: d}, true
	case <-time.After(wait):
	case <-ctx.Done():
	}
	return nil, false
}

type patientPlace struct {
	dialer *patientDialer
	once   sync.Once
}

func (p *patientPlace) Hold(uuid.UUID) func() { return func() {} }
func (p *patientPlace) Release()              { p.once.Do(func() { <-p.dialer.places }) }
func (p *patientPlace) Dial(_ context.Context, call *dbsqlc.Call, _ time.Time) {
	p.dialer.dialed <- call.ID
	<-p.dialer.over
	p.Release()
}

func (d *patientDialer) wait(t *testing.T) uuid.UUID {
	t.Helper()
	select {
	case id := <-d.dialed:
		return id
	case <-time.After(30 * time.Second):
		require.FailNow(t, "no call is dialed")
		return uuid.Nil
	}
}

// TestABacklogHoldsNobodyUp has one account queue ten thousand calls of which it may run two, in jobs and in rows. The
// single call of another account is dialed at once, and of the first account exactly two are.
func TestABacklogHoldsNobodyUp(t *testing.T) {
	t.Parallel()

	const backlog = 10_000
	f, pool := jobstest.NewCommitted(t)
	f.Limit(t, 2, 0)
	first, waiting := f.QueuedCall(t), f.QueuedCall(t)
	_, err := f.Tx.Exec(t.Context(), "UPDATE call SET explanation = 'Waits.' WHERE id = $1", waiting.ID)
	require.NoError(t, err)
	waiting = f.Call(t, waiting.ID)
	_, err = f.Tx.Exec(t.Context(),
		`INSERT INTO call (id, account_id, direction, status, simulated, assistant_id, assistant_name, contact_phone_number,
			phone_number_id, phone_number, explanation)
		SELECT gen_random_uuid(), account_id, direction, status, simulated, assistant_id, assistant_name, contact_phone_number, phone_number_id, phone_number,
			explanation
		FROM call, generate_series(3, $2) WHERE id = $1`, waiting.ID, backlog)
	require.NoError(t, err)
	other := jobstest.NewIn(t, f.Tx)
	require.NoError(t, f.Tx.Commit(t.Context()))

	dialer := &patientDialer{places: make(chan struct{}, 100), dialed: make(chan uuid.UUID, 100), over: make(chan struct{})}
	f.Services.Dialer = dialer
	workers := river.NewWorkers()
	river.AddWorker(workers, placeCall(f))
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		Queues: map[string]river.QueueConfig{queue.Calls: {MaxWorkers: 100}}, Workers: workers, Logger: slog.New(slog.DiscardHandler),
		FetchCooldown: 5 * time.Millisecond, FetchPollInterval: 20 * time.Millisecond,
	})
	require.NoError(t, err)

	tx := jobstest.Begin(t, pool)
	require.NoError(t, calls.Enqueue(t.Context(), tx, client, waiting))
	// The jobs of those behind it are like this one: thousands of events are no part of this.
	written, err := tx.Exec(t.Context(),
		`INSERT INTO river_job (args, kind, max_attempts, metadata, priority, queue, state, scheduled_at, tags)
		SELECT jsonb_build_object('account_id', call.account_id, 'call_id', call.id), kind, max_attempts, metadata, priority, queue, state, scheduled_at, tags
		FROM river_job AS dispatch JOIN call ON call.account_id = $1 AND call.id NOT IN ($2, $3)
		WHERE dispatch.kind = 'place_call' AND dispatch.args ->> 'call_id' = $3::text AND dispatch.priority = $4`, f.Account.ID,
		first.ID, waiting.ID, queue.LowestPriority)
	require.NoError(t, err)
	require.EqualValues(t, backlog-2, written.RowsAffected())
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, client.Start(t.Context()))
	var stop sync.Once
	t.Cleanup(func() {
		stop.Do(func() { close(dialer.over) })
		require.NoError(t, client.Stop(context.WithoutCancel(t.Context())))
	})
	started := map[uuid.UUID]bool{dialer.wait(t): true, dialer.wait(t): true}

	other.Tx = jobstest.Begin(t, pool)
	single := other.QueuedCall(t)
	require.NoError(t, other.Tx.Commit(t.Context()))
	committed := time.Now()
	require.Equal(t, single.ID, dialer.wait(t), "of the first account two calls run")
	require.Less(t, time.Since(committed), time.Second)
	require.Len(t, started, 2)
}
