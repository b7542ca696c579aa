package worker

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/worker/gateways"
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
func (p *Phone) invite(ctx context.Context, gateway *gateways.Gateway, dial sip.Dial,
	invitation *calls.Invitation) (leg *sip.Leg, unsent bool, err error) {
	if wait := time.Until(dial.NotBefore); wait > inviteLead {
		pause(ctx, wait-inviteLead)
	}
	may := &permit{lease: p.lease.Permit()}
	ours, err := p.invites.Do(ctx, invitation)
	switch {
	case err != nil:
		return nil, true, errors.Join(errNotInvited, err)
	case !ours:
		return nil, true, errDisowned
	}
	dial.Permit = may.check
	if leg, err = gateway.UA.Dial(ctx, dial); err == nil {
		return leg, false, nil
	}
	unsent = may.revoke() && (ctx.Err() != nil || isExhausted(err))
	return nil, unsent || errors.Is(err, sip.ErrNotPermitted), err
}

// isExhausted reports whether a call was not dialed for want of what this machine or process has too little of: file handles,
// ports or memory.
func isExhausted(err error) bool {
	return slices.ContainsFunc([]error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EADDRINUSE},
		func(lack error) bool { return errors.Is(err, lack) })
}

// errNoRoute is the error of a call whose way out could not be looked up in the database.
var errNoRoute = errors.New("the way out of the call cannot be looked up")

// isOurs reports whether the way to dial a call was not found because of Postgres or this process, and not because there is none.
func isOurs(err error) bool {
	return errors.Is(err, errNoRoute) || isExhausted(err) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, context.Canceled)
}

// explainGiveBack tells the customer why a call waits again.
func explainGiveBack(cause error) string {
	switch {
	case isExhausted(cause):
		return "Not dialed yet: the worker had no file handle or network port left. It is dialed as soon as one is free."
	case errors.Is(cause, errNoRoute):
		return "Not dialed yet: the worker lost its database before. It is dialed as soon as that is back."
	}
	return "Not dialed yet: the worker gave it back before. It is dialed again at once."
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
