package db_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
)

// TestPipeline sends statements together: each sees what those before it did, all of them happen or none, and the connection is
// afterwards as it was.
func TestPipeline(t *testing.T) {
	t.Parallel()
	ctx, pool := t.Context(), dbtest.Pool(t)
	_, err := pool.Exec(ctx, "CREATE TABLE piped (n int CHECK (n > 0))")
	require.NoError(t, err)
	insert := func(p *db.Pipeline, n int) {
		_, err := p.Exec(ctx, "INSERT INTO piped VALUES ($1)", n)
		require.NoError(t, err, "nothing is sent yet")
	}
	count := func() (n int) {
		require.NoError(t, pool.QueryRow(ctx, "SELECT count(*) FROM piped").Scan(&n))
		return n
	}

	p := db.NewPipeline(pool)
	insert(p, 1)
	insert(p, 2)
	require.Zero(t, count())
	var sum int
	var mode string
	require.NoError(t, p.QueryRow(ctx, "SELECT sum(n), current_setting('plan_cache_mode') FROM piped").Scan(&sum, &mode))
	require.Equal(t, 3, sum)
	require.Equal(t, "force_generic_plan", mode)
	require.Equal(t, 2, count())

	p = db.NewPipeline(pool)
	insert(p, 3)
	require.NoError(t, p.Send(ctx))
	require.Equal(t, 3, count())

	for _, end := range []func(p *db.Pipeline) error{
		func(p *db.Pipeline) error { return p.Send(ctx) },
		func(p *db.Pipeline) error { return p.QueryRow(ctx, "SELECT 1").Scan(new(int)) },
	} {
		p = db.NewPipeline(pool)
		insert(p, 4)
		insert(p, -1)
		require.ErrorContains(t, end(p), "piped_n_check")
		require.Equal(t, 3, count())
	}
	p = db.NewPipeline(pool)
	insert(p, 5)
	require.Error(t, p.QueryRow(ctx, "SELECT 1 / (n - 5) FROM piped ORDER BY n DESC").Scan(new(int)), "the last statement")
	require.Equal(t, 3, count())

	for _, conn := range pool.AcquireAllIdle(ctx) {
		require.NoError(t, conn.QueryRow(ctx, "SELECT current_setting('plan_cache_mode')").Scan(&mode))
		require.Equal(t, "auto", mode)
		conn.Release()
	}

	tx, err := pool.Begin(ctx)
	require.NoError(t, err)
	p = db.NewPipeline(tx)
	insert(p, 6)
	require.NoError(t, p.Send(ctx))
	require.NoError(t, tx.QueryRow(ctx, "SELECT current_setting('plan_cache_mode')").Scan(&mode))
	require.Equal(t, "auto", mode, "in a transaction of others nothing is left behind")
	require.NoError(t, tx.Rollback(ctx))
	require.Equal(t, 3, count())
}
