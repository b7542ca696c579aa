package worker

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/events"
)

const (
	numberingLock = 0x6e756d62 // "numb": the advisory lock of whoever numbers events on wake-up
	// Events are numbered together that are written within this time of the first. Deliveries do not wait for it: they number their
	// own.
	numberingCompany = 20 * time.Millisecond
	// How long it is between two looks for events of which nobody notified, the shorter time after there were some.
	numberingShortest = 100 * time.Millisecond
	numberingLongest  = 2 * time.Second
)

// numbering numbers new events. One process leads, which holds a lock on a session of its own and is notified of events; the
// others look for those that nobody numbered, and try for the lock. Two that both number do no harm: each locks the counters of
// the accounts.
type numbering struct {
	pool   *pgxpool.Pool
	logger *slog.Logger

	unnumbered events.Unnumbered // of run alone

	mu      sync.Mutex
	leads   bool
	waiting map[uuid.UUID]bool // accounts that have new events
	woken   chan struct{}      // holds one element while some wait
}

func newNumbering(pool *pgxpool.Pool, logger *slog.Logger) *numbering {
	return &numbering{pool: pool, logger: logger, waiting: map[uuid.UUID]bool{}, woken: make(chan struct{}, 1)}
}

// elect has this process lead as soon as nobody else does. The lock lasts as long as the session.
func (n *numbering) elect(ctx context.Context, conn *pgx.Conn) error {
	if n.isLeader() {
		return nil
	}
	won, err := dbsqlc.New().NumberingTryLock(ctx, conn, &dbsqlc.NumberingTryLockParams{Key: numberingLock})
	if err != nil {
		return fmt.Errorf("try to lead the numbering of events: %w", err)
	}
	if !won {
		return nil
	}
	if _, err := conn.Exec(ctx, "LISTEN "+events.UnnumberedChannel); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	n.lead(true)
	return nil
}

func (n *numbering) isLeader() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.leads
}

func (n *numbering) lead(leads bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.leads = leads
}

// notified takes that an account has new events.
func (n *numbering) notified(payload string) {
	account, err := uuid.Parse(payload)
	if err != nil {
		n.logger.Error("notified of events of nobody", "error", err)
		return
	}
	n.await(account)
}

// await has run number the events of accounts.
func (n *numbering) await(accounts ...uuid.UUID) {
	if len(accounts) == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, account := range accounts {
		n.waiting[account] = true
	}
	select {
	case n.woken <- struct{}{}:
	default:
	}
}

func (n *numbering) take() []uuid.UUID {
	n.mu.Lock()
	defer n.mu.Unlock()
	accounts := slices.Collect(maps.Keys(n.waiting))
	clear(n.waiting)
	return accounts
}

// run numbers until ctx ends.
func (n *numbering) run(ctx context.Context) {
	look := time.NewTimer(numberingShortest)
	defer look.Stop()
	for interval := numberingShortest; ; {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-n.woken:
			pause(ctx, numberingCompany)
			var left []uuid.UUID
			left, err = events.NumberFree(ctx, n.pool, n.take()...)
			n.await(left...)
		case <-look.C:
			var found int
			found, err = n.numberUnnoticed(ctx)
			interval = min(2*interval, numberingLongest)
			if found > 0 {
				interval = numberingShortest
			}
			look.Reset(interval)
		}
		if err != nil && ctx.Err() == nil {
			n.logger.ErrorContext(ctx, "events not numbered", "error", err)
			pause(ctx, time.Second)
		}
	}
}

// numberUnnoticed numbers what there is, and returns of how many accounts.
func (n *numbering) numberUnnoticed(ctx context.Context) (int, error) {
	accounts, err := n.unnumbered.Accounts(ctx, n.pool)
	if err != nil {
		return 0, err
	}
	_, err = events.NumberFree(ctx, n.pool, accounts...) // what others number, or keep from it, is looked for again
	return len(accounts), err
}
