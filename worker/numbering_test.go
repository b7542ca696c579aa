package worker

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/worker/gateways"
)

// TestNumbering has events numbered by the process that leads, by its deputy once the session of the leader is gone, and by
// anyone where nobody heard of them.
func TestNumbering(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	account := dbfactory.Account(t, pool)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	start := func() *numbering {
		n := newNumbering(pool, slog.New(slog.DiscardHandler))
		running.Go(func() { n.run(ctx) })
		deliverer := events.NewDeliverer(events.DelivererConfig{})
		t.Cleanup(func() { deliverer.Stop(context.Background()) })
		notified := &inbox{pool: pool, phone: &Phone{processID: "none", gateways: &gateways.Set{}}, deliverer: deliverer, numbering: n,
			logger: slog.New(slog.DiscardHandler)}
		running.Go(func() { notified.run(ctx) })
		return n
	}
	sequence := func(id uuid.UUID) (last *int64) {
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT sequence FROM event WHERE id = $1", id).Scan(&last))
		return last
	}
	numbered := func(notify bool) {
		id := dbfactory.ID(t)
		require.NoError(t, db.InTx(t.Context(), pool, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(),
				"INSERT INTO event (id, account_id, type, payload, delivery) VALUES ($1, $2, 'status-update', '{}', 'none')", id, account.ID)
			require.NoError(t, err)
			if !notify {
				return nil
			}
			return db.Notify(t.Context(), tx, events.UnnumberedChannel, account.ID.String())
		}))
		require.Eventually(t, func() bool { return sequence(id) != nil }, 30*time.Second, 5*time.Millisecond)
	}
	leader := start()
	require.Eventually(t, leader.isLeader, 30*time.Second, 5*time.Millisecond)
	deputy := start()
	numbered(true)
	numbered(false)
	require.False(t, deputy.isLeader())

	_, err := pool.Exec(t.Context(),
		"SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND granted", int64(numberingLock))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return leader.isLeader() != deputy.isLeader() }, 30*time.Second, 5*time.Millisecond)
	numbered(true)
}
