package driver

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type args struct{ N int }

func (args) Kind() string { return "counted" }

// worker tells of the jobs that it works. It has the first attempt of job 2 wait.
type worker struct {
	river.WorkerDefaults[args]
	worked chan int
}

func (w *worker) Work(_ context.Context, job *river.Job[args]) error {
	if job.Args.N == 2 && job.Metadata != nil && string(job.Metadata) == "{}" {
		return river.JobSnooze(200 * time.Millisecond)
	}
	w.worked <- job.Args.N
	return nil
}

// River takes errors with that end for those of a client that stops, and starts without the queue.
func TestAQueueOverALostConnection(t *testing.T) {
	t.Parallel()
	config := dbtest.Pool(t).Config()
	config.PrepareConn = func(ctx context.Context, conn *pgx.Conn) (bool, error) { return true, conn.Close(ctx) }
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	_, err = New(pool).GetExecutor().QueueCreateOrSetUpdatedAt(t.Context(),
		&riverdriver.QueueCreateOrSetUpdatedAtParams{Name: "calls", Metadata: []byte("{}")})
	require.True(t, db.Unavailable(err), "%v", err)
	require.False(t, strings.HasSuffix(err.Error(), "conn closed"), "%v", err)
}

// TestDriver has jobs worked as soon as they are committed or due, by a client that hears of them from another.
func TestDriver(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	w := &worker{worked: make(chan int, 10)}
	workers := river.NewWorkers()
	river.AddWorker(workers, w)
	client, err := river.NewClient(New(pool), &river.Config{
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 10}}, Workers: workers,
		Logger:        slog.New(slog.DiscardHandler),
		FetchCooldown: 5 * time.Millisecond, FetchPollInterval: time.Hour, // which is nothing to wait for
	})
	require.NoError(t, err)
	inserter, err := river.NewClient(New(pool), &river.Config{Workers: workers})
	require.NoError(t, err)
	require.NoError(t, client.Start(t.Context()))
	defer func() { require.NoError(t, client.Stop(context.WithoutCancel(t.Context()))) }()
	next := func() int {
		select {
		case n := <-w.worked:
			return n
		case <-time.After(30 * time.Second):
			t.Fatal("a job was not worked")
			return 0
		}
	}
	for n := range 3 {
		require.NoError(t, db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
			_, err := inserter.InsertTx(t.Context(), tx, args{n}, nil)
			return err
		}))
		require.Equal(t, n, next())
	}
	_, err = client.Insert(t.Context(), args{3}, nil)
	require.NoError(t, err)
	require.Equal(t, 3, next())
	_, err = pool.Exec(t.Context(),
		`INSERT INTO river_job (args, kind, max_attempts, scheduled_at) VALUES ('{"N": 4}', 'counted', 3, now() + interval '0.3 seconds')`)
	require.NoError(t, err)
	require.Equal(t, 4, next(), "nobody was notified of it")
}

// TestWhatIsOwed has a process say which queue River is to ask, and how long none.
func TestWhatIsOwed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPolls(nil, time.Now)
		owed := func() string {
			name, _ := p.owed()
			return name
		}
		require.Empty(t, owed(), "no queue was heard of")
		require.True(t, p.take("calls"))
		require.Equal(t, "calls", owed(), "to look at all queues")
		require.Empty(t, owed(), "it was told")
		_, wait := p.owed()
		require.Equal(t, tellPause, wait)
		time.Sleep(wait)
		require.Equal(t, "calls", owed(), "and did not")

		require.NotNil(t, p.beginLook())
		require.Empty(t, owed(), "somebody looks")
		<-time.After(tellPause)
		p.looked([]*dbsqlc.JobListDueRow{{Queue: "calls", DueIn: 0.05}})
		require.Len(t, p.sooner, 1)
		<-p.sooner
		_, wait = p.owed()
		require.Equal(t, 50*time.Millisecond, wait)
		time.Sleep(wait)
		require.Equal(t, "calls", owed(), "a job is due")
		require.True(t, p.take("calls"))
		p.asked("calls", 10, 10)
		require.Len(t, p.sooner, 1)
		time.Sleep(tellPause)
		require.Equal(t, "calls", owed(), "there may be more")

		require.True(t, p.take("calls"))
		p.wake("calls")
		require.Empty(t, owed(), "River hears of it from the one who wakes")
		require.True(t, p.take("calls"))
	})
}

// TestPolls counts the looks of a process without jobs.
func TestPolls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPolls(nil, time.Now)
		looks, asked := 0, 0
		tick := func(d time.Duration, rows ...*dbsqlc.JobListDueRow) {
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
				if p.take("calls") {
					asked++
					p.asked("calls", 0, 10)
				}
				if names := p.beginLook(); names != nil {
					require.Nil(t, p.beginLook(), "one looks at a time")
					looks++
					p.looked(rows)
				}
			}
		}
		tick(20 * time.Second)
		require.Equal(t, 1, asked, "when it was first heard of")
		require.InDelta(t, 14, looks, 2, "they slow down")

		asked = 0
		p.wake("calls")
		tick(20 * time.Millisecond)
		require.Equal(t, 1, asked)

		looks, asked = 0, 0
		tick(2*time.Second, &dbsqlc.JobListDueRow{Queue: "calls", DueIn: 0.5})
		require.NotZero(t, asked, "its next job is due")

		p.asked("calls", 10, 10)
		require.True(t, p.take("calls"), "there may be more")
		p.asked("calls", 3, 10)
		require.False(t, p.take("calls"))
	})
}
