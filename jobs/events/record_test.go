package events_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
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
