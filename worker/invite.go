package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/voice/sip"
)

// inviteLead is how long before its time a call is recorded as one whose INVITE may leave.
const inviteLead = 300 * time.Millisecond

var errRevoked = errors.New("the call was given up before its INVITE left")

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
		return nil, true, errors.Join(errNoDatabase, err)
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
