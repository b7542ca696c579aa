package worker

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

type countArgs struct {
	N int `json:"n"`
}

func (countArgs) Kind() string { return "count" }

// TestJobsLostWithAConnection breaks connections exactly when jobs are fetched and when their outcome is recorded. No job stays
// running for ever, and none is worked twice.
func TestJobsLostWithAConnection(t *testing.T) {
	t.Parallel()

	direct := dbtest.Pool(t)
	way := dbtest.Broken(t, direct.Config().ConnString())
	pool := dbtest.Open(t, way.DSN)
	logger := slog.New(slog.DiscardHandler)
	held := &heldJobs{processID: "own", pool: pool, logger: logger, held: map[int64]int{}}
	settings := Settings(map[string]int{river.QueueDefault: 2}, logger)
	settings.ID, settings.PeriodicJobs, settings.Middleware = "own", nil, append(settings.Middleware, held)
	settings.Workers = river.NewWorkers()
	var worked [4]atomic.Int32
	working, held3 := make(chan struct{}), make(chan struct{})
	release := sync.OnceFunc(func() { close(held3) })
	river.AddWorker(settings.Workers, river.WorkFunc(func(_ context.Context, job *river.Job[countArgs]) error {
		worked[job.Args.N].Add(1)
		if job.Args.N == 3 {
			close(working)
			<-held3
		}
		return nil
	}))
	client, err := river.NewClient(riverpgxv5.New(pool), settings)
	require.NoError(t, err)
	insert := func(n int) {
		_, err := client.Insert(t.Context(), countArgs{N: n}, nil)
		require.NoError(t, err)
	}
	stateOf := func(n int) (state string) {
		require.NoError(t, direct.QueryRow(t.Context(), "SELECT state FROM river_job WHERE (args->>'n')::integer = $1", n).Scan(&state))
		return state
	}
	requireDone := func(n int) {
		t.Helper()
		require.Eventually(t, func() bool { return stateOf(n) == "completed" }, time.Minute, 20*time.Millisecond)
		require.EqualValues(t, 1, worked[n].Load())
	}

	insert(0)
	lost := way.At("JobGetAvailable", dbtest.Answer)
	require.NoError(t, client.Start(t.Context()))
	t.Cleanup(func() {
		release() // Stop waits for the job
		require.NoError(t, client.Stop(context.WithoutCancel(t.Context())))
	})
	<-lost
	for n, loss := range []dbtest.Loss{dbtest.Request, dbtest.Answer} {
		broken := way.At("JobSetStateIfRunningMany", loss)
		insert(1 + n)
		<-broken
		requireDone(1 + n)
	}
	insert(3)
	<-working

	require.Equal(t, "running", stateOf(0), "it was fetched and never came")
	_, err = direct.Exec(t.Context(), "UPDATE river_job SET attempted_at = now() - interval '1 minute' WHERE state = 'running'")
	require.NoError(t, err)
	now := time.Now()
	for _, seconds := range []int{0, 5, 10, 30, 35, 40} { // Postgres was away between 10 and 30
		require.NoError(t, held.reconcile(t.Context(), now.Add(time.Duration(seconds)*time.Second)))
		require.Equal(t, "running", stateOf(0), "after %d s", seconds)
	}
	require.NoError(t, held.reconcile(t.Context(), now.Add(45*time.Second)))
	var returned int // the state may be running again by now: whoever is free takes the job at once
	require.NoError(t, direct.QueryRow(t.Context(),
		"SELECT coalesce((metadata ->> 'river:rescue_count')::integer, 0) FROM river_job WHERE (args->>'n')::integer = 0").Scan(&returned))
	require.Equal(t, 1, returned)
	require.Equal(t, "running", stateOf(3), "it is being worked")
	release()
	requireDone(0)
	requireDone(3)
}
