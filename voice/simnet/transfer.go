package simnet

import (
	"context"
	"time"

	"github.com/callwright/callwright/voice/sip"
)

const (
	transferPatience = 8 * time.Second // for a number that rings
	notifyLimit      = 2 * time.Second // for the other side to hear how a transfer goes
	leaveLimit       = 5 * time.Second // for the other side to let go of whom it transferred
)

// Transfer is the outcome of a REFER to a far end.
type Transfer struct {
	To   string
	Code int // final SIP status of the call to it
}

// transferred calls somebody else in the other side's place. It returns true when that worked: then the far end leaves as
// soon as the other side lets go of it.
func (f *farEnd) transferred(referral *sip.Referral) bool {
	code, script := 200, f.network.scripts.of(referral.Target)
	f.notify(referral, 100, "Trying")
	switch {
	case script.Refuse != 0:
		code = script.Refuse
	case script.Ring:
		f.notify(referral, 180, "Ringing")
		f.pass(transferPatience)
		code = 480
	default:
		f.notify(referral, 180, "Ringing")
		f.pass(f.network.delay(script))
	}
	if f.disconnected() {
		return true
	}
	f.record.transferred(Transfer{referral.Target, code})
	f.notify(referral, code, reasonPhrase(code))
	if code >= 300 {
		return false
	}
	select {
	case <-f.leg.Done():
	case <-time.After(leaveLimit):
	case <-f.ctx.Done():
	}
	f.moved = true
	return true
}

// notify sends how the transfer goes. It need not arrive: a side that has left asks no more.
func (f *farEnd) notify(referral *sip.Referral, code int, reason string) {
	ctx, cancel := context.WithTimeout(f.ctx, notifyLimit)
	defer cancel()
	if err := referral.Tell(ctx, code, reason); err != nil && !f.disconnected() {
		f.record.fail(err)
	}
}
