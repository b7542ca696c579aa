package driver

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
)

// TestLocksAgree has unique jobs inserted once more while a worker ends them, each in an order of its own: whoever comes second to
// the first of the jobs, neither waits for what the other holds.
func TestLocksAgree(t *testing.T) {
	t.Parallel()
	const states = 1<<6 | 1 // running or available, as River has their bits
	unique := func(name string) *riverdriver.JobInsertFastParams {
		return &riverdriver.JobInsertFastParams{Kind: "counted", EncodedArgs: []byte("{}"), Metadata: []byte("{}"), MaxAttempts: 3,
			Priority: 1, Queue: "default", State: rivertype.JobStateAvailable, UniqueKey: []byte(name), UniqueStates: states}
	}
	insert := func(t *testing.T, driver *Driver, names ...string) (ids []int64) {
		t.Helper()
		params := &riverdriver.JobInsertFastManyParams{}
		for _, name := range names {
			params.Jobs = append(params.Jobs, unique(name))
		}
		assert.NoError(t, db.InTx(t.Context(), driver.pool, func(tx pgx.Tx) error {
			inserted, err := driver.UnwrapExecutor(tx).JobInsertFastMany(t.Context(), params)
			for _, one := range inserted {
				ids = append(ids, one.Job.ID)
			}
			return err
		}))
		return ids
	}
	end := func(t *testing.T, driver *Driver, ids ...int64) {
		t.Helper()
		params := &riverdriver.JobSetStateIfRunningManyParams{}
		for _, id := range ids {
			params.ID, params.Attempt = append(params.ID, id), append(params.Attempt, nil)
			params.ErrData, params.FinalizedAt = append(params.ErrData, nil), append(params.FinalizedAt, nil)
			params.MetadataDoMerge = append(params.MetadataDoMerge, false)
			params.MetadataUpdates = append(params.MetadataUpdates, nil)
			params.ScheduledAt = append(params.ScheduledAt, nil)
			params.State = append(params.State, rivertype.JobStateAvailable)
		}
		_, err := driver.GetExecutor().JobSetStateIfRunningMany(t.Context(), params)
		assert.NoError(t, err)
	}
	for _, first := range []string{"Insert", "End"} {
		for _, reversed := range []bool{false, true} {
			t.Run(first, func(t *testing.T) {
				t.Parallel()
				pool := dbtest.Pool(t)
				driver := New(pool)
				names := []string{"one", "two", "three"}
				ids := insert(t, driver, names...)
				require.Len(t, ids, len(names))
				_, err := pool.Exec(t.Context(), "UPDATE river_job SET state = 'running'")
				require.NoError(t, err)
				again, over := slices.Clone(names), slices.Clone(ids)
				if slices.Reverse(again); reversed {
					slices.Reverse(over)
				}

				holder, err := pool.Begin(t.Context())
				require.NoError(t, err)
				_, err = holder.Exec(t.Context(), "SELECT FROM river_job WHERE id = $1 FOR UPDATE", ids[0])
				require.NoError(t, err)
				acts := []func(){func() { insert(t, driver, again...) }, func() { end(t, driver, over...) }}
				if first == "End" {
					slices.Reverse(acts)
				}
				var running sync.WaitGroup
				for i, act := range acts {
					running.Go(act)
					awaitLocks(t, pool, i+1)
				}
				require.NoError(t, holder.Rollback(t.Context()))
				running.Wait()
				var available int
				require.NoError(t, pool.QueryRow(t.Context(),
					"SELECT count(*) FROM river_job WHERE state = 'available'").Scan(&available))
				require.Equal(t, len(names), available)
			})
		}
	}
}

// awaitLocks returns when so many sessions wait for locks.
func awaitLocks(t *testing.T, pool *pgxpool.Pool, sessions int) {
	t.Helper()
	require.Eventually(t, func() bool {
		var waiting int
		err := pool.QueryRow(t.Context(),
			"SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()").Scan(&waiting)
		return err == nil && waiting == sessions
	}, 20*time.Second, 5*time.Millisecond)
}
