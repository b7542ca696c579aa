package driver

import (
	"testing"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// TestWrongClocks has a machine whose clock is wrong by an hour schedule jobs, put one off and look for stuck ones. All go by the
// clock of Postgres.
func TestWrongClocks(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]time.Duration{"Right": 0, "Slow": -time.Hour, "Fast": time.Hour} {
		pool := dbtest.Pool(t)
		driver := New(pool)
		driver.now = func() time.Time { return time.Now().Add(wrong) }
		ids := map[string]int64{}
		for job, sql := range map[string]string{
			"soon":   `('{}', 'a', 3, now() + interval '3 seconds', 'scheduled', NULL, NULL)`,
			"later":  `('{}', 'b', 3, now() + interval '30 minutes', 'scheduled', NULL, NULL)`,
			"works":  `('{}', 'c', 3, now(), 'running', now() - interval '30 minutes', '{own}')`,
			"is old": `('{}', 'd', 3, now(), 'running', now() - interval '90 minutes', '{own}')`,
		} {
			var id int64
			require.NoError(t, pool.QueryRow(t.Context(),
				"INSERT INTO river_job (args, kind, max_attempts, scheduled_at, state, attempted_at, attempted_by) VALUES "+sql+" RETURNING id").Scan(&id))
			ids[job] = id
		}
		inserted := []*riverdriver.JobInsertFastParams{
			{Kind: "e", EncodedArgs: []byte(`{}`), MaxAttempts: 3, Priority: 1, Queue: "default", State: rivertype.JobStateAvailable,
				ScheduledAt: new(driver.now())},
			{Kind: "f", EncodedArgs: []byte(`{}`), MaxAttempts: 3, Priority: 1, Queue: "default", State: rivertype.JobStateScheduled,
				ScheduledAt: new(time.Now().Add(10 * time.Minute))},
		}
		tx, err := driver.GetExecutor().Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.JobInsertFastMany(t.Context(), &riverdriver.JobInsertFastManyParams{Jobs: inserted})
		require.NoError(t, err)
		_, err = tx.JobInsertFastManyNoReturning(t.Context(), &riverdriver.JobInsertFastManyParams{Jobs: inserted})
		require.NoError(t, err)
		var atOnce, later int
		require.NoError(t, tx.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE kind = 'e' AND scheduled_at <= clock_timestamp()
				AND scheduled_at > clock_timestamp() - interval '1 minute'),
			count(*) FILTER (WHERE kind = 'f' AND scheduled_at - clock_timestamp() BETWEEN interval '9 minutes' AND interval '11 minutes')
			FROM river_job`).Scan(&atOnce, &later))
		require.Equal(t, []int{2, 2}, []int{atOnce, later}, name)
		scheduled, err := tx.JobSchedule(t.Context(), &riverdriver.JobScheduleParams{Max: 10,
			Now: new(driver.now().Add(5 * time.Second))})
		require.NoError(t, err)
		require.NoError(t, tx.Commit(t.Context()))
		require.Len(t, scheduled, 1, name)
		require.Equal(t, ids["soon"], scheduled[0].Job.ID, name)

		stuck, err := driver.GetExecutor().JobGetStuck(t.Context(),
			&riverdriver.JobGetStuckParams{Max: 10, StuckHorizon: driver.now().Add(-time.Hour)})
		require.NoError(t, err)
		require.Len(t, stuck, 1, name)
		require.Equal(t, ids["is old"], stuck[0].ID, name)

		put := riverdriver.JobSetStateSnoozed(ids["works"], driver.now().Add(time.Minute), 0, nil)
		_, err = driver.GetExecutor().JobSetStateIfRunningMany(t.Context(), &riverdriver.JobSetStateIfRunningManyParams{
			ID: []int64{put.ID}, Attempt: []*int{put.Attempt}, ErrData: [][]byte{nil}, FinalizedAt: []*time.Time{nil},
			MetadataDoMerge: []bool{false},
			MetadataUpdates: [][]byte{nil}, ScheduledAt: []*time.Time{put.ScheduledAt}, State: []rivertype.JobState{put.State},
		})
		require.NoError(t, err)
		var off time.Duration
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT scheduled_at - now() FROM river_job WHERE id = $1",
			ids["works"]).Scan(&off))
		require.InDelta(t, time.Minute, off, float64(50*time.Second), name)
	}
}
