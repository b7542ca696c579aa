package overview

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// counting counts transactions.
type counting struct {
	db.Beginner
	begun atomic.Int32
}

func (c *counting) Begin(ctx context.Context) (pgx.Tx, error) {
	c.begun.Add(1)
	return c.Beginner.Begin(ctx)
}

// clock is a clock that a test moves.
type clock struct{ seconds atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(c.seconds.Load(), 0) }

func TestCollector(t *testing.T) {
	t.Parallel()
	tx, clock := dbtest.Tx(t), &clock{}
	for _, statement := range []string{
		`INSERT INTO river_job (kind, args, max_attempts, queue, state, scheduled_at)
			SELECT 'place_call', '{}', 3, 'calls', 'available', now() - interval '90 seconds' FROM generate_series(1, 3)`,
		`INSERT INTO river_job (kind, args, max_attempts, queue, state, scheduled_at) VALUES ('deliver_event', '{}', 3, 'webhooks', 'scheduled', now() + interval '1 day')`,
		`INSERT INTO process_lease (process_id, boot_id, pid_namespace, pid, pid_started, version, renewed_at)
			VALUES ('one', '', '', 0, 0, 'v1', now() - interval '4 seconds'), ('two', '', '', 0, 0, 'v2', now()), ('three', '', '', 0, 0, 'v2', now()), ('dead', '', '', 0, 0, 'v2', now() - interval '20 seconds'), ('old', '', '', 0, 0, 'v0', now() - interval '9 seconds')`,
		`INSERT INTO process_lease (process_id, boot_id, pid_namespace, pid, pid_started, ended_at) VALUES ('gone', '', '', 0, 0, now())`,
	} {
		_, err := tx.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	reader := &Reader{DB: tx, Now: clock.now}
	const want = `
# HELP callwright_jobs Jobs that wait (available, scheduled, retryable) or run, up to 20,000 of a queue and state.
# TYPE callwright_jobs gauge
callwright_jobs{kind="deliver_event",queue="webhooks",state="scheduled"} 1
callwright_jobs{kind="place_call",queue="calls",state="available"} 3
# HELP callwright_jobs_oldest_seconds For how long the oldest job that could be worked has waited.
# TYPE callwright_jobs_oldest_seconds gauge
callwright_jobs_oldest_seconds{kind="deliver_event",queue="webhooks"} 0
callwright_jobs_oldest_seconds{kind="place_call",queue="calls"} 90
# HELP callwright_lease_oldest_seconds How long ago the least recently renewed lease was renewed.
# TYPE callwright_lease_oldest_seconds gauge
callwright_lease_oldest_seconds 20
# HELP callwright_overview_up 1 if the database told how the deployment stands; what follows is missing if not.
# TYPE callwright_overview_up gauge
callwright_overview_up 1
# HELP callwright_workers Worker processes that hold a lease.
# TYPE callwright_workers gauge
callwright_workers{version="v0"} 0
callwright_workers{version="v1"} 1
callwright_workers{version="v2"} 2
`
	require.NoError(t, testutil.CollectAndCompare(reader, strings.NewReader(want),
		"callwright_jobs", "callwright_jobs_oldest_seconds", "callwright_lease_oldest_seconds", "callwright_overview_up",
		"callwright_workers"))
	problems, err := testutil.CollectAndLint(reader)
	require.NoError(t, err)
	require.Empty(t, problems)
}

// However many ask, the database is asked once, also when it does not answer.
func TestManyWhoAskAreOne(t *testing.T) {
	t.Parallel()
	away, err := pgxpool.New(t.Context(), "postgres://nobody@127.0.0.1:1/none")
	require.NoError(t, err)
	t.Cleanup(away.Close)
	for name, conn := range map[string]db.Beginner{"there": dbtest.Tx(t), "away": away} {
		clock, beginner := &clock{}, &counting{Beginner: conn}
		reader := &Reader{DB: beginner, Now: clock.now}
		var asking sync.WaitGroup
		for range 20 {
			asking.Go(func() {
				_, err := reader.Read(t.Context())
				require.Equal(t, name == "away", err != nil)
			})
		}
		asking.Wait()
		require.EqualValues(t, 1, beginner.begun.Load(), name)
		clock.seconds.Add(4)
		_, _ = reader.Read(t.Context())
		require.EqualValues(t, 1, beginner.begun.Load(), name)
		clock.seconds.Add(2)
		_, _ = reader.Read(t.Context())
		require.EqualValues(t, 2, beginner.begun.Load(), name)
	}
	require.Positive(t, testutil.CollectAndCount(&Reader{DB: away, Now: time.Now}, "callwright_overview_up"))
}

// One who leaves does not take the answer from those who wait for it too.
func TestWhoLeavesTakesNothingAway(t *testing.T) {
	t.Parallel()
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, err := (&Reader{DB: dbtest.Tx(t), Now: time.Now}).Read(gone)
	require.NoError(t, err)
}
