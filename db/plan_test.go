package db_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
)

func TestPlanOnce(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	mode := func(tx pgx.Tx) (mode string) {
		require.NoError(t,
			tx.QueryRow(t.Context(), "SELECT current_setting('plan_cache_mode') || ', ' || current_setting('enable_seqscan')").Scan(&mode))
		return mode
	}
	conn, err := pool.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	for range 2 {
		require.NoError(t, db.InTx(t.Context(), db.PlanOnce(conn), func(tx pgx.Tx) error {
			require.Equal(t, "force_generic_plan, off", mode(tx))
			return db.InTx(t.Context(), db.PlanOnce(tx), func(pgx.Tx) error { return nil })
		}))
		require.NoError(t, db.InTx(t.Context(), conn, func(tx pgx.Tx) error {
			require.Equal(t, "auto, on", mode(tx), "other transactions are planned as ever")
			return nil
		}))
	}
}
