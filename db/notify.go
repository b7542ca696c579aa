package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db/dbsqlc"
)

// notifyWithin is how long a transaction that is committed waits for its notifications to be sent. What is not sent in time costs
// those that wait for it a poll.
const notifyWithin = time.Second

// notifyCooldown is how long the notifications of a transaction wait for those of others, once there is more than one at a time.
const notifyCooldown = 2 * time.Millisecond

// notification wakes whoever listens to a channel. The channels of River are those of Postgres's current schema.
type notification struct{ channel, payload string }

// Notify sends a notification once tx, which WithTx or Begin began, is committed, together with those of this process's other
// transactions: Postgres has the commits of transactions that notify wait for each other. Without a transaction it is sent at
// once, and in one that others began it is sent by that one's commit. It is a wake-up, which may be lost with the process:
// whoever listens looks now and then.
func Notify(ctx context.Context, tx dbsqlc.DBTX, channel, payload string) error {
	if begun, ok := tx.(*notifyingTx); ok {
		begun.notes = append(begun.notes, notification{channel, payload})
		return nil
	}
	return notify(ctx, tx, []notification{{channel, payload}})
}

// Begin begins a transaction after whose commit the notifications are sent that Notify is asked for.
func Begin(ctx context.Context, beginner Beginner) (pgx.Tx, error) {
	tx, err := beginner.Begin(ctx)
	if own, ok := tx.(*pgxpool.Tx); ok && err == nil {
		return &notifyingTx{Tx: own, from: beginner}, nil
	}
	return tx, err // within a transaction of ours, or of others
}

// notifyingTx is a transaction and what is to be notified of when it is committed.
type notifyingTx struct {
	pgx.Tx
	from   dbsqlc.DBTX  // where it was begun
	within *notifyingTx // nil: it is none within another
	notes  []notification
}

// Begin implements pgx.Tx.
func (t *notifyingTx) Begin(ctx context.Context) (pgx.Tx, error) {
	tx, err := t.Tx.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &notifyingTx{Tx: tx, from: t.from, within: t}, nil
}

// Commit implements pgx.Tx.
func (t *notifyingTx) Commit(ctx context.Context) error {
	if len(t.notes) == 0 {
		return t.Tx.Commit(ctx)
	}
	sender, _ := t.Conn().PgConn().CustomData()[notifierKey].(*notifier) // before the connection goes back to the pool
	err := t.Tx.Commit(ctx)
	switch {
	case err != nil && !errors.Is(Uncertain(err), ErrUncertain):
	case t.within != nil:
		t.within.notes = append(t.within.notes, t.notes...)
	case sender != nil:
		sender.send(ctx, t)
	}
	return err
}

// notifier sends the notifications of a pool's transactions, in the name of those that wait for it.
type notifier struct {
	sends *Batcher[*notifyingTx, struct{}]
}

const notifierKey = "notifier" // among the custom data of a connection

func newNotifier() *notifier {
	return &notifier{NewCooldownBatcher(notifyCooldown,
		func(ctx context.Context, committed []*notifyingTx) (map[*notifyingTx]struct{}, error) {
			var notes []notification
			for _, one := range committed {
				notes = append(notes, one.notes...)
			}
			return nil, notify(ctx, committed[0].from, notes)
		})}
}

// send returns when what tx is to be notified of is sent, or Postgres is away.
func (n *notifier) send(ctx context.Context, tx *notifyingTx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), notifyWithin)
	defer cancel()
	_, _ = n.sends.Do(ctx, tx) // they are wake-ups: the transaction is committed, and the pool tells of outages
}

// notify sends each notification once.
func notify(ctx context.Context, conn dbsqlc.DBTX, notes []notification) error {
	params, sent := &dbsqlc.NotifyParams{}, map[notification]bool{}
	for _, note := range notes {
		if !sent[note] {
			sent[note] = true
			params.Channels, params.Payloads = append(params.Channels, note.channel), append(params.Payloads, note.payload)
		}
	}
	if err := dbsqlc.New().Notify(ctx, conn, params); err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	return nil
}
