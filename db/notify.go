package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
)

const notifyTimeout = 5 * time.Second

// NotifyAfter has a channel notified when tx is committed, once, however often it is asked for. tx is one of WithTx; the caller
// of another notifies for himself. It is a wake-up that is lost with the process, or with Postgres: whoever waits for it looks
// now and then all the same. It comes after the commit, since transactions that notify are committed one after the other.
func NotifyAfter(tx pgx.Tx, channel string) {
	if noted, ok := tx.(*notifying); ok {
		noted.channels[channel] = true
	}
}

// notifying is a transaction that notes whom to notify after it.
type notifying struct {
	pgx.Tx
	channels map[string]bool
}

// Begin implements pgx.Tx. What happens in a savepoint has happened when the transaction around it is committed.
func (n *notifying) Begin(ctx context.Context) (pgx.Tx, error) {
	inner, err := n.Tx.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &notifying{inner, n.channels}, nil
}

// notify sends what was noted.
func (n *notifying) notify(ctx context.Context, on dbsqlc.DBTX) {
	if len(n.channels) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), notifyTimeout)
	defer cancel()
	for channel := range n.channels {
		// The transaction is done, whatever becomes of the wake-up. The pool's tracer tells when Postgres is away.
		_ = dbsqlc.New().Notify(ctx, on, &dbsqlc.NotifyParams{Channel: channel})
	}
}
