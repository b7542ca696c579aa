package events_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/jobstest"
)

var errRolledBack = errors.New("rolled back")

// Transactions that write events of one account at the same time number them as they do, or leave them to whoever numbers: at no
// instant is there a gap, and what one writes after another is over has the greater number.
func TestRecordNumbers(t *testing.T) {
	t.Parallel()
	f, pool := jobstest.NewCommitted(t)
	require.NoError(t, f.Tx.Commit(t.Context()))
	_, err := pool.Exec(t.Context(), "INSERT INTO event_counter (account_id) VALUES ($1)", f.Account.ID)
	require.NoError(t, err)

	ctx, stop := context.WithCancel(t.Context())
	var watching, writing sync.WaitGroup
	watching.Go(func() { // as whoever numbers does, and whoever reads
		for ctx.Err() == nil {
			var highest, numbered int64
			err := pool.QueryRow(t.Context(), "SELECT coalesce(max(sequence), 0), count(sequence) FROM event").Scan(&highest, &numbered)
			if err == nil && highest != numbered {
				err = errors.New("there is a gap")
			}
			if err == nil {
				_, err = events.NumberFree(t.Context(), pool, f.Account.ID)
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	const writers, each = 4, 40
	for writer := range writers {
		writing.Go(func() {
			written, random := int32(0), rand.New(rand.NewPCG(7, uint64(writer)))
			for range each {
				err := db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
					for range 1 + random.IntN(3) {
						written++
						event := events.BudgetReached(f.Account.ID, events.ReachedBudget{Month: strconv.Itoa(writer), Percent: written})
						if err := events.Record(t.Context(), tx, event); err != nil {
							return err
						}
					}
					if random.IntN(4) == 0 {
						return errRolledBack
					}
					return nil
				})
				if err != nil && !errors.Is(err, errRolledBack) {
					t.Error(err)
					return
				}
			}
		})
	}
	writing.Wait()
	stop()
	watching.Wait()
	require.NoError(t, events.Number(t.Context(), pool, f.Account.ID))
	var unnumbered int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM event WHERE sequence IS NULL").Scan(&unnumbered))
	require.Zero(t, unnumbered)
	latest, all := map[string]int{}, 0
	for _, message := range dbfactory.Messages[struct {
		Budget struct {
			Month   string
			Percent int
		}
	}](t, pool, "sequence IS NOT NULL") {
		require.Greater(t, message.Budget.Percent, latest[message.Budget.Month])
		latest[message.Budget.Month], all = message.Budget.Percent, all+1
	}
	require.Greater(t, all, each)
}

// While a process of the version before may run, messages are written as that one reads them, by numbers or by ids.
func TestRecordForVersionBefore(t *testing.T) {
	t.Parallel()
	dsn := dbtest.DSN(t)
	pool := dbtest.Open(t, dsn)
	f := jobstest.NewIn(t, jobstest.Begin(t, pool))
	require.NoError(t, f.Tx.Commit(t.Context()))
	write := func() {
		opened, err := db.Open(t.Context(), dsn, 2)
		require.NoError(t, err)
		defer opened.Close()
		require.NoError(t, db.InTx(t.Context(), opened, func(tx pgx.Tx) error {
			return events.Record(t.Context(), tx, events.BudgetReached(f.Account.ID, events.ReachedBudget{Month: "2026-11", Percent: 80}))
		}))
	}
	_, err := pool.Exec(t.Context(), "INSERT INTO seal_key_holder (session, process, key_id) VALUES ('before', 'a worker', 'key')")
	require.NoError(t, err)
	write()
	_, err = pool.Exec(t.Context(), "DELETE FROM seal_key_holder")
	require.NoError(t, err)
	write()

	rows, err := pool.Query(t.Context(), "SELECT payload #>> '{budget,month}' FROM event ORDER BY position")
	require.NoError(t, err)
	plain, err := pgx.CollectRows(rows, pgx.RowTo[*string])
	require.NoError(t, err)
	require.Len(t, plain, 2)
	require.Equal(t, new("2026-11"), plain[0])
	require.Nil(t, plain[1], "packed")
	messages := dbfactory.Messages[struct{ Budget struct{ Month string } }](t, pool, "true")
	require.Equal(t, messages[0], messages[1])
}

// A call has one report, whoever writes it again.
func TestRecordReportsOnce(t *testing.T) {
	t.Parallel()
	f := jobstest.New(t)
	call := f.EndedCall(t)
	report := &events.Report{Call: call}
	for range 2 {
		require.NoError(t, events.Record(t.Context(), f.Tx, report.Event()))
	}
	var reports int
	require.NoError(t, f.Tx.QueryRow(t.Context(), "SELECT count(*) FROM event WHERE call_id = $1 AND type = 'end-of-call-report'",
		call.ID).Scan(&reports))
	require.Equal(t, 1, reports)
}

// Two that report a call at the same time write one report, without a gap in the numbers: the second waits for the first, and
// writes the report where that one does not in the end.
func TestRecordReportsOnceAtATime(t *testing.T) {
	t.Parallel()
	outcomes := map[string]func(pgx.Tx, context.Context) error{"committed": pgx.Tx.Commit, "rolled back": pgx.Tx.Rollback}
	for outcome, end := range outcomes {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			f, pool := jobstest.NewCommitted(t)
			call, other := f.EndedCall(t), f.EndedCall(t)
			_, err := f.Tx.Exec(t.Context(), "INSERT INTO event_counter (account_id) VALUES ($1) ON CONFLICT DO NOTHING", f.Account.ID)
			require.NoError(t, err)
			require.NoError(t, f.Tx.Commit(t.Context()))
			require.NoError(t, events.Number(t.Context(), pool, f.Account.ID))

			// The first cannot number its report, so that the second gets the account's counter.
			numbering := jobstest.Begin(t, pool)
			_, err = numbering.Exec(t.Context(), "SELECT FROM event_counter WHERE account_id = $1 FOR UPDATE", f.Account.ID)
			require.NoError(t, err)
			first := jobstest.Begin(t, pool)
			require.NoError(t, events.Record(t.Context(), first, (&events.Report{Call: call}).Event()))
			require.NoError(t, numbering.Rollback(t.Context()))

			var second sync.WaitGroup
			second.Go(func() {
				assert.NoError(t, db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
					return events.Record(t.Context(), tx, (&events.Report{Call: call}).Event(), (&events.Report{Call: other}).Event(),
						(&events.Report{Call: call}).Event())
				}))
			})
			require.Eventually(t, func() bool {
				var waiting bool
				err := pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
					WHERE wait_event_type = 'Lock' AND datname = current_database())`).Scan(&waiting)
				return err == nil && waiting
			}, 20*time.Second, 5*time.Millisecond)
			require.NoError(t, end(first, t.Context()))
			second.Wait()

			require.NoError(t, events.Number(t.Context(), pool, f.Account.ID))
			var reports, others int
			var gapless bool
			require.NoError(t, pool.QueryRow(t.Context(), `
				SELECT count(*) FILTER (WHERE type = 'end-of-call-report' AND call_id = $1),
					count(*) FILTER (WHERE type = 'end-of-call-report' AND call_id = $2),
					max(sequence) = count(*) AND max(sequence) = (SELECT last FROM event_counter WHERE account_id = $3) FROM event`,
				call.ID, other.ID, f.Account.ID).Scan(&reports, &others, &gapless))
			require.Equal(t, 1, reports)
			require.Equal(t, 1, others)
			require.True(t, gapless)
		})
	}
}
