package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/voice/sip"
)

const (
	inviteLead    = 300 * time.Millisecond // before its time a call is recorded as one whose INVITE may leave
	giveBackPause = time.Second            // before a call that was given back is dialed again
)

var (
	errRevoked    = errors.New("the call was given up before its INVITE left")
	errNotInvited = errors.New("the call could not be recorded as dialed")
)

// permit allows the INVITEs of one call while the lease that was held when it was taken is. It knows whether one may have left.
type permit struct {
	lease func() error

	mu      sync.Mutex
	granted bool
	revoked bool
}

// check is asked directly before an INVITE leaves.
func (p *permit) check() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.revoked {
		return errRevoked
	}
	if err := p.lease(); err != nil {
		return err
	}
	p.granted = true
	return nil
}

// revoke keeps INVITEs from leaving from now on, and reports whether none has left.
func (p *permit) revoke() (unsent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revoked = true
	return !p.granted
}

// invite dials a call, not before dial's time, and says in its row before that its INVITE may leave. The order is what keeps
// people from being rung twice: the permit is taken while the lease holds, the row shows that the call is still ours, and the
// permit is checked when the INVITE leaves, by which time the lease may have run out or the row be somebody else's. unsent:
// no INVITE has left, nor will one.
func (p *Phone) invite(ctx context.Context, gateway *gateway, dial sip.Dial, callID uuid.UUID) (leg *sip.Leg, unsent bool, err error) {
	if wait := time.Until(dial.NotBefore); wait > inviteLead {
		pause(ctx, wait-inviteLead)
	}
	may := &permit{lease: p.lease.Permit()}
	ours, err := p.invites.Do(ctx, callID)
	switch {
	case err != nil:
		return nil, true, errors.Join(errNotInvited, err)
	case !ours:
		return nil, true, errDisowned
	}
	dial.Permit = may.check
	if leg, err = gateway.ua.Dial(ctx, dial); err == nil {
		return leg, false, nil
	}
	unsent = may.revoke() && (ctx.Err() != nil || exhausted(err))
	return nil, unsent || errors.Is(err, sip.ErrNotPermitted), err
}

// isOurs reports whether the way to dial a call was not found because of Postgres or this process, and not because there is none.
func isOurs(err error) bool {
	_, said := errors.AsType[*pgconn.PgError](err)
	_, unreached := errors.AsType[*pgconn.ConnectError](err)
	return said || unreached || exhausted(err) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// giveBack queues a call again whose INVITE has not left. It tries until Postgres has it, or until the process stops: then, or
// when the lease is lost before, the call stays for others, who find it claimed and not invited, or lost.
func (p *Phone) giveBack(ctx context.Context, call *dbsqlc.Call, logger *slog.Logger, cause error) {
	started := time.Now()
	for wait := ledgerRetryMin; ; wait = min(2*wait, ledgerRetryMax) {
		err := p.tryGiveBack(ctx, call.ID, explainGiveBack(cause))
		switch {
		case err == nil:
			logger.WarnContext(ctx, "call was not dialed and is queued again", "error", cause)
			return
		case errors.Is(err, calls.ErrConflict):
			logger.InfoContext(ctx, "call was not dialed and is somebody else's", "error", cause)
			return
		case ctx.Err() != nil && time.Since(started) > ledgerLastTry:
			logger.ErrorContext(ctx, "call was not dialed and stays for others", "error", errors.Join(cause, err))
			return
		}
		time.Sleep(wait)
	}
}

func (p *Phone) tryGiveBack(ctx context.Context, callID uuid.UUID, explanation string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ledgerTimeout)
	defer cancel()
	return db.InTx(ctx, p.pool, func(tx pgx.Tx) error {
		return calls.GiveBack(ctx, tx, p.jobs, p.processID, callID, giveBackPause, explanation)
	})
}
