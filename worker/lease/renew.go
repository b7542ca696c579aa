package lease

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/callwright/callwright/db/dbsqlc"
)

// Run renews the lease until ctx ends. It calls over, in one goroutine at a time, when others may soon act on what this
// process holds, or did: everything that is held must end. Connections that break are replaced, and break nothing.
func (l *Lease) Run(ctx context.Context, over func(cause error)) {
	var running sync.WaitGroup
	defer running.Wait()
	ends := make(chan error)
	running.Go(func() { l.renewals(ctx, ends) })
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case err := <-ends:
			over(err)
		case <-tick.C:
			if l.runsOut() {
				l.logger.WarnContext(ctx, "the process lease has run out: live calls are ended before others act on them")
				over(ErrLapsed)
			}
		}
	}
}

// runsOut reports, once, that what this process holds must end. As long as Postgres says that it serves nobody, nobody acts:
// whoever judges begins to wait anew when it is back.
func (l *Lease) runsOut() bool {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.told || now-max(l.term.renewed, l.refused) <= Validity {
		return false
	}
	l.told = true
	return true
}

func (l *Lease) renewals(ctx context.Context, ends chan<- error) {
	defer l.disconnect()
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	failing := false
	for {
		err := l.renew(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, ErrLost):
			l.logger.WarnContext(ctx, "this process was taken for dead: what it held is others' now")
			select {
			case ends <- err: // the lease is taken anew when what was held has been told so
			case <-ctx.Done():
				return
			}
		case err != nil && !failing:
			l.logger.WarnContext(ctx, "process lease is not renewed, trying again", "error", err)
		case err == nil && failing:
			l.logger.InfoContext(ctx, "process lease is renewed again")
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// renew renews the lease once, or takes it anew after it was lost.
func (l *Lease) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, renewLimit)
	defer cancel()
	err := l.connect(ctx)
	if err == nil {
		err = l.send(ctx, l.conn)
	}
	if err != nil && !errors.Is(err, ErrLost) {
		l.disconnect()
		if l.servesNobody(err) {
			l.mu.Lock()
			l.refused = l.now()
			l.mu.Unlock()
		}
	}
	return err
}

func (l *Lease) send(ctx context.Context, on dbsqlc.DBTX) error {
	if errors.Is(l.Check(), ErrLost) {
		return l.acquire(ctx, on)
	}
	sent := l.now()
	renewed, err := dbsqlc.New().ProcessLeaseRenew(ctx, on, &dbsqlc.ProcessLeaseRenewParams{ProcessID: l.processID, Able: l.able()})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("renew process lease: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.term.lost = true
		return ErrLost
	}
	if sent-l.term.renewed > longestPause {
		l.heldSince = sent
	}
	l.term.renewed, l.told, l.duty = sent, false, dutyOf(renewed)
	return nil
}

// connect connects where there is no connection. A connection that broke may have been an end of Postgres, so whoever comes
// back judges nobody before all had time to come back.
func (l *Lease) connect(ctx context.Context) error {
	if l.conn != nil {
		return nil
	}
	conn, err := pgx.ConnectConfig(ctx, l.config)
	if err != nil {
		return fmt.Errorf("connect for the process lease: %w", err)
	}
	l.conn = conn
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heldSince = l.now()
	return nil
}

// disconnect drops a connection that broke, or is not needed any more.
func (l *Lease) disconnect() {
	if l.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookEvery)
	defer cancel()
	_ = l.conn.Close(ctx) // nothing was left on it
	l.conn = nil
}

// servesNobody reports whether an error proves that Postgres itself is away, and not just the way there: its host refused the
// connection, or it says that it starts or stops. Of several hosts any might serve others.
func (l *Lease) servesNobody(err error) bool {
	for _, fallback := range l.config.Fallbacks {
		if fallback.Host != l.config.Host || fallback.Port != l.config.Port {
			return false
		}
	}
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) { // no socket of that name
		return true
	}
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && said.Code == pgerrcode.CannotConnectNow
}
