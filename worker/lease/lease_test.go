package lease

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/overview"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// TestOverviewKnowsTheValidity: the metrics count the workers that hold a lease.
func TestOverviewKnowsTheValidity(t *testing.T) {
	t.Parallel()
	require.Equal(t, Validity, overview.LeaseHolds)
}

// clock is a clock that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Duration
}

func (c *clock) now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at += d
}

// held is a lease that was acquired now, without a database.
func held(c *clock) *Lease {
	return &Lease{processID: "own", now: c.now, term: &term{renewed: c.at}, heldSince: c.at, logger: slog.New(slog.DiscardHandler)}
}

func TestLeaseRunsOutBeforeOthersAct(t *testing.T) {
	t.Parallel()
	require.Less(t, Validity+2*time.Second, Patience)

	time := &clock{at: Patience}
	own := held(time)
	permit := own.Permit()
	time.pass(Validity)
	require.NoError(t, permit())
	require.False(t, own.runsOut())
	time.pass(1)
	require.ErrorIs(t, permit(), ErrLapsed)
	require.True(t, own.runsOut())
	require.False(t, own.runsOut(), "it is told once")

	own.term.renewed = time.now()
	require.NoError(t, permit(), "nobody took what it held")
}

// Where Postgres serves nobody, nobody acts on our calls: they go on, yet nobody is dialed.
func TestConversationsOutliveAnOutage(t *testing.T) {
	t.Parallel()
	time := &clock{at: Patience}
	own := held(time)
	for range 60 {
		time.pass(renewEvery)
		own.refused = time.now()
		require.False(t, own.runsOut())
	}
	require.ErrorIs(t, own.Check(), ErrLapsed)
	time.pass(Validity + 1)
	require.True(t, own.runsOut(), "then the way to it was cut")
}

// deaths are the processes that a watch finds dead.
func deaths(w *Watch, leases ...*dbsqlc.ProcessLeaseListRow) []string {
	found := []string{}
	for _, dead := range w.Dead(leases) {
		found = append(found, dead.ProcessID)
	}
	return found
}

func TestWatch(t *testing.T) {
	t.Parallel()
	clock := &clock{at: time.Hour}
	own := held(clock)
	w := NewWatch(own)
	still, busy := &dbsqlc.ProcessLeaseListRow{ProcessID: "still", Renewals: 7}, &dbsqlc.ProcessLeaseListRow{ProcessID: "busy"}
	pass := func(n int) {
		for range n {
			clock.pass(time.Second)
			own.term.renewed = clock.now()
			busy.Renewals++
			require.Empty(t, deaths(w, still, busy, &dbsqlc.ProcessLeaseListRow{ProcessID: "own"}))
		}
	}
	pass(12)
	clock.pass(time.Second)
	own.term.renewed = clock.now()
	require.Equal(t, []string{"still"}, deaths(w, still, busy))

	still.Renewals++
	pass(6)
	own.heldSince = clock.now() // Postgres was away
	pass(11)
	clock.pass(time.Second)
	own.term.renewed = clock.now()
	require.Equal(t, []string{"still"}, deaths(w, still), "our own lease is held for so long only now")

	clock.pass(Validity + 1)
	require.Empty(t, deaths(w, still), "nobody judges without a lease")
	own.term.renewed = clock.now()
	without := &dbsqlc.ProcessLeaseListRow{ProcessID: "returned", Renewals: -1}
	require.Equal(t, []string{"returned"}, deaths(w, without), "what it took after it was found dead")
}

// TestTwoJudge has processes of three hosts renew their leases. Two of different hosts judge, others step in as soon as one of
// them is silent or unable to look, and each knows the one beside it.
func TestTwoJudge(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	time := &clock{at: Patience}
	leases := map[string]*Lease{}
	for _, process := range []struct{ id, boot, namespace string }{
		{"p5", "a", "n"}, {"p1", "b", "m"}, {"p9", "b", "n"}, {"p2", "c", "n"}, {"p3", "c", "n"}, {"p4", "c", "n"},
	} {
		one := held(time)
		one.processID, one.host = process.id, Host{BootID: process.boot, PIDNamespace: process.namespace, PID: 1}
		require.NoError(t, one.acquire(t.Context(), pool))
		leases[process.id] = one
	}
	beside := map[string]string{}
	judges := func() (judging []string) {
		for range 2 { // the first says what the second sees
			judging = nil
			for _, id := range slices.Sorted(maps.Keys(leases)) {
				require.NoError(t, leases[id].send(t.Context(), pool))
				if leases[id].duty.judges {
					judging = append(judging, id)
				}
				if near := leases[id].duty.beside; near != nil {
					beside[id] = near.ProcessID
				}
			}
		}
		return judging
	}
	exec := func(statement string) {
		_, err := pool.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"p1", "p5"}, judges(), "the first of two hosts")
	require.Equal(t, map[string]string{"p2": "p4", "p3": "p2", "p4": "p3"}, beside, "in a ring, within a namespace of process ids")

	silent := leases["p5"]
	delete(leases, "p5")
	exec("UPDATE process_lease SET renewed_at = now() - interval '3 seconds' WHERE process_id = 'p5'")
	require.Equal(t, []string{"p1", "p2"}, judges())
	exec("UPDATE process_lease SET renewed_at = now() + interval '1 hour' WHERE process_id = 'p5'")
	require.Equal(t, []string{"p1", "p2"}, judges(), "the clock of Postgres was set back")

	time.pass(lookLimit + 1)
	for id, one := range leases {
		if one.looked = time.now(); id == "p1" {
			one.looked = 0
		}
	}
	require.Equal(t, []string{"p1", "p2", "p9"}, judges(), "one that is unable does not count, yet may be able again")

	exec("DELETE FROM process_lease WHERE boot_id <> 'c'")
	delete(leases, "p1")
	delete(leases, "p9")
	require.Equal(t, []string{"p2", "p3"}, judges(), "there is no other host")
	require.ErrorIs(t, silent.send(t.Context(), pool), ErrLost)
}

// Run calls over when the lease runs out, and lives on connections that break.
func TestRun(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	own, err := Acquire(t.Context(), pool, "one", "", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	over, ended := make(chan error, 1), make(chan struct{})
	t.Cleanup(func() {
		<-ended
		require.NoError(t, own.Release(context.WithoutCancel(t.Context()), pool))
	})
	renewals := func() (n int64) {
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT renewals FROM process_lease WHERE process_id = 'one'").Scan(&n))
		return n
	}
	go func() {
		defer close(ended)
		own.Run(t.Context(), func(cause error) { over <- cause })
	}()
	permit := own.Permit()
	require.Eventually(t, func() bool { return renewals() >= 1 }, 30*time.Second, 10*time.Millisecond)
	_, err = pool.Exec(t.Context(),
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	require.NoError(t, err)
	before := renewals()
	require.Eventually(t, func() bool { return renewals() >= before+2 }, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, permit())
	require.Empty(t, over)

	n, err := dbsqlc.New().ProcessLeaseEnd(t.Context(), pool, &dbsqlc.ProcessLeaseEndParams{ProcessID: "one", Renewals: -2})
	require.NoError(t, err)
	require.Zero(t, n, "it renewed since")
	require.Eventually(t, func() bool {
		n, err := dbsqlc.New().ProcessLeaseEnd(t.Context(), pool, &dbsqlc.ProcessLeaseEndParams{ProcessID: "one", Renewals: renewals()})
		require.NoError(t, err)
		return n == 1
	}, 10*time.Second, time.Millisecond)
	require.ErrorIs(t, <-over, ErrLost)
	require.Eventually(t, func() bool { return own.Check() == nil }, 30*time.Second, 10*time.Millisecond, "it begins anew")
	require.ErrorIs(t, permit(), ErrLost, "what it held before is others'")
}

// TestSessionsOfTheDeadEnd has a process stop in a transaction that holds a lock. Who takes it for dead ends its sessions, and no
// others.
func TestSessionsOfTheDeadEnd(t *testing.T) {
	t.Parallel()

	dsn := dbtest.DSN(t)
	stopped, judge := open(t, dsn), open(t, dsn)
	_, err := Acquire(t.Context(), stopped, "stopped", "", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	tx, err := stopped.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }) // its session is gone when the test succeeds
	_, err = tx.Exec(t.Context(), "LOCK TABLE account")
	require.NoError(t, err)
	for _, renewals := range []int64{7, 0} { // a process that has renewed since is none of the dead
		require.NoError(t, dbsqlc.New().ProcessEndSessions(t.Context(), judge,
			&dbsqlc.ProcessEndSessionsParams{ProcessID: "stopped", Renewals: renewals}))
		_, err = tx.Exec(t.Context(), "SELECT 1")
		require.Equal(t, renewals == 0, err != nil, "%v", err)
	}
	require.NoError(t, judge.Ping(t.Context()))
}

func open(t *testing.T, dsn string) *pgxpool.Pool {
	t.Helper()
	pool := dbtest.Open(t, dsn)
	return pool
}
