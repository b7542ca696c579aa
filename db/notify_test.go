package db_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
)

// TestNotify has transactions notify: after their commit and once, whichever of them was nested, and not when they were rolled
// back.
func TestNotify(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	heard, err := pool.Acquire(t.Context())
	require.NoError(t, err)
	defer heard.Release()
	_, err = heard.Exec(t.Context(), "LISTEN news; CREATE TABLE told (fact text)")
	require.NoError(t, err)
	next := func() string {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		notification, err := heard.Conn().WaitForNotification(ctx)
		require.NoError(t, err)
		return notification.Payload
	}
	tell := func(ctx context.Context, tx pgx.Tx, fact string) error {
		_, err := tx.Exec(ctx, "INSERT INTO told VALUES ($1)", fact)
		return errors.Join(err, db.Notify(ctx, tx, "news", fact))
	}
	refused := errors.New("no")
	require.ErrorIs(t, db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
		require.NoError(t, tell(t.Context(), tx, "rolled back"))
		return refused
	}), refused)
	require.NoError(t, db.InTx(t.Context(), db.PlanOnce(pool), func(tx pgx.Tx) error {
		var written bool
		require.NoError(t, tell(t.Context(), tx, "outer"))
		require.NoError(t, tell(t.Context(), tx, "outer"))
		require.NoError(t, tx.QueryRow(t.Context(), "SELECT pg_notification_queue_usage() > 0").Scan(&written))
		require.False(t, written)
		require.ErrorIs(t, db.InTx(t.Context(), tx, func(tx pgx.Tx) error {
			require.NoError(t, tell(t.Context(), tx, "rolled back"))
			return refused
		}), refused)
		return db.InTx(t.Context(), tx, func(tx pgx.Tx) error { return tell(t.Context(), tx, "inner") })
	}))
	require.Equal(t, "outer", next())
	require.Equal(t, "inner", next())

	require.NoError(t, db.Notify(t.Context(), pool, "news", "without a transaction"))
	require.Equal(t, "without a transaction", next())
	require.NoError(t, pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error { return tell(t.Context(), tx, "of others") }))
	require.Equal(t, "of others", next())
}
