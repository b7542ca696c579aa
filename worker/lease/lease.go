// Package lease says whether this process may still act for its calls. A process holds a row in Postgres that it renews
// every second. It trusts the lease for Validity after it sent the last renewal that succeeded; others take what it holds
// no sooner than Patience after they saw that renewal. So whoever was paused, cut off or starved knows that its lease has run
// out before anybody acts on its calls, whatever the clocks of the machines say: each side measures time by its own, which
// also counts the time for which the machine was suspended.
//
// Two processes look at the leases of all, and each at the one beside it on its host, so that what supervision costs grows with
// the number of processes and not with its square. Who the two are is said with each renewal; two that both act do no harm.
//
// It knows one table and /proc. It must not know calls, jobs or telephones.
package lease

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db/dbsqlc"
)

const (
	// Validity is how long the holder trusts a lease, from when it sent the renewal.
	Validity = 9 * time.Second
	// Patience is how long others wait for the next renewal. What it has over Validity is room for clocks that run at
	// different rates, and for goodbyes.
	Patience = 12 * time.Second

	renewEvery   = time.Second
	renewLimit   = 2 * time.Second        // of one renewal, connecting included
	lookEvery    = 250 * time.Millisecond // for a lease that has run out
	longestPause = 3 * time.Second        // between two renewals of a lease that is held without interruption
	lookLimit    = 4 * time.Second        // without a look that succeeds, after which another process judges beside this one
)

var (
	// ErrLapsed means that the lease was not renewed in time. It may be renewed yet.
	ErrLapsed = errors.New("the lease of this process has run out")
	// ErrLost means that others found this process dead and took what it held.
	ErrLost = errors.New("others took this process for dead")
)

// Lease is the lease of this process.
type Lease struct {
	processID string
	version   string // of the program
	host      Host
	config    *pgx.ConnConfig
	logger    *slog.Logger
	now       func() time.Duration // a clock that counts suspended time

	conn *pgx.Conn // of the renewals; Run's

	mu        sync.Mutex
	term      *term
	heldSince time.Duration // from when on no renewal failed or was late
	refused   time.Duration // when Postgres last said that it serves nobody
	told      bool          // that the lease has run out
	duty      duty
	looked    time.Duration // when the latest look for dead processes succeeded
}

// term is the time from one acquisition of the lease to its loss.
type term struct {
	renewed time.Duration // when the last renewal was sent
	lost    bool
}

// Acquire takes the lease of a process of a version of the program that has just begun.
func Acquire(ctx context.Context, pool *pgxpool.Pool, processID, version string, logger *slog.Logger) (*Lease, error) {
	host, err := thisHost()
	if err != nil {
		return nil, fmt.Errorf("acquire process lease: %w", err)
	}
	config := pool.Config().ConnConfig.Copy()
	config.RuntimeParams["statement_timeout"] = fmt.Sprint(renewLimit.Milliseconds())
	l := &Lease{processID: processID, version: version, host: host, config: config, logger: logger, now: sinceBoot}
	if err := dbsqlc.New().ProcessLeaseForget(ctx, pool); err != nil {
		return nil, fmt.Errorf("forget old process leases: %w", err)
	}
	return l, l.acquire(ctx, pool)
}

func (l *Lease) acquire(ctx context.Context, on dbsqlc.DBTX) error {
	sent := l.now()
	err := dbsqlc.New().ProcessLeaseAcquire(ctx, on, &dbsqlc.ProcessLeaseAcquireParams{
		ProcessID: l.processID, BootID: l.host.BootID, PIDNamespace: l.host.PIDNamespace, PID: l.host.PID, PIDStarted: l.host.Started,
		Version: l.version,
	})
	if err != nil {
		return fmt.Errorf("acquire process lease: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.term, l.heldSince, l.told, l.duty, l.looked = &term{renewed: sent}, sent, false, duty{}, sent
	return nil
}

// Release ends the lease of a process that has given up all it held. Run has returned.
func (l *Lease) Release(ctx context.Context, pool *pgxpool.Pool) error {
	if err := dbsqlc.New().ProcessLeaseRelease(ctx, pool, &dbsqlc.ProcessLeaseReleaseParams{ProcessID: l.processID}); err != nil {
		return fmt.Errorf("release process lease: %w", err)
	}
	return nil
}

// Check returns nil while the lease is valid, and else ErrLapsed or ErrLost.
func (l *Lease) Check() error { return l.Permit()() }

// Permit returns a Check that a loss of the lease ends for good, also when the process gets a new one: what it held before is
// not its own any more. Whoever does something that must happen once takes the permit first, then makes sure that what it
// acts upon is its own, and checks the permit directly before the act.
func (l *Lease) Permit() func() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.term
	return func() error {
		now := l.now()
		l.mu.Lock()
		defer l.mu.Unlock()
		switch {
		case held.lost:
			return ErrLost
		case now-held.renewed > Validity:
			return ErrLapsed
		}
		return nil
	}
}

// Held returns since when, by the clock of Now, the lease is held without interruption. held is false when it is not valid.
func (l *Lease) Held() (since time.Duration, held bool) {
	held = l.Check() == nil
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heldSince, held
}

// Now is the clock that leases go by: the time since some moment in the past, that of suspensions included.
func (l *Lease) Now() time.Duration { return l.now() }

// Host returns where this process runs.
func (l *Lease) Host() Host { return l.host }
