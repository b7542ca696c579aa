package db_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
)

func TestOtherSealers(t *testing.T) {
	t.Parallel()

	dsn := dbtest.DSN(t)
	pool := dbtest.Open(t, dsn)
	second := dbtest.Open(t, dsn)
	others := func(key string) (found []string) {
		rows, err := db.OtherSealers(t.Context(), pool, key)
		require.NoError(t, err)
		for _, row := range rows {
			require.GreaterOrEqual(t, row.SeenAgo, 0.0)
			found = append(found, row.Process+" "+row.KeyID)
		}
		return found
	}
	host, err := os.Hostname()
	require.NoError(t, err)
	named := " on " + host + " (process " + strconv.Itoa(os.Getpid()) + ") "

	stop, err := db.ReportProcess(t.Context(), pool, "worker", "fresh")
	require.NoError(t, err)
	stopSecond, err := db.ReportProcess(t.Context(), second, "api", "old")
	require.NoError(t, err)
	require.Equal(t, []string{"api" + named + "old"}, others("fresh"))
	require.Equal(t, []string{"worker" + named + "fresh"}, others("old"))

	lease := func(process string, of dbsqlc.DBTX) {
		require.NoError(t, dbsqlc.New().ProcessLeaseAcquire(t.Context(), of, &dbsqlc.ProcessLeaseAcquireParams{ProcessID: process}))
	}
	lease("tells", pool)
	require.Equal(t, []string{"api" + named + "old"}, others("fresh"), "its report says what it seals with")
	third := dbtest.Open(t, dsn)
	lease("silent", third)
	require.Equal(t, []string{"api" + named + "old", "silent "}, others("fresh"), "a worker of the version before")

	exec(t, pool, "UPDATE seal_key_holder SET seen_at = now() - interval '61 seconds'")
	exec(t, pool, "UPDATE process_lease SET renewed_at = now() - interval '61 seconds' WHERE process_id = 'silent'")
	require.Equal(t, []string{"tells "}, others("fresh"), "a worker whose reports fail and whose lease is renewed")
	exec(t, pool, "UPDATE process_lease SET ended_at = now()")
	require.Empty(t, others("fresh"), "whoever was killed")

	stop()
	stopSecond()
	var left int
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM seal_key_holder").Scan(&left))
	require.Zero(t, left)
}
