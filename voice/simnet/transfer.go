package simnet

import (
	"context"
	"time"

	"github.com/callwright/callwright/voice/sip"
)

const (
	transferPatience = 8 * time.Second // for a number that rings
	newsLimit        = 2 * time.Second // for the other side to hear how a transfer goes
	leaveLimit       = 5 * time.Second // for the other side to let go of whom it transferred
)

// Transfer is what became of the wish to send a far end elsewhere.
type Transfer struct {
	To   string
	Code int // final SIP status of the call to it
}

// transferred calls somebody else in the other side's place. It returns true when that worked: then the far end leaves as
// soon as the other side lets go of it.
func (f *farEnd) transferred(wish *sip.Referral) bool {
	code, script := 200, f.network.scripts.of(wish.Target)
	f.tell(wish, 100, "Trying")
	switch {
	case script.Refuse != 0:
		code = script.Refuse
	case script.Ring:
		f.tell(wish, 180, "Ringing")
		f.pass(transferPatience)
		code = 480
	default:
		f.tell(wish, 180, "Ringing")
		f.pass(f.network.delay(script))
	}
	if f.disconnected() {
		return true
	}
	f.record.transferred(Transfer{wish.Target, code})
	f.tell(wish, code, reasonPhrase(code))
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

// tell is heard or not: who does not hear it asks no more.
func (f *farEnd) tell(wish *sip.Referral, code int, reason string) {
	ctx, cancel := context.WithTimeout(f.ctx, newsLimit)
	defer cancel()
	if err := wish.Tell(ctx, code, reason); err != nil && !f.disconnected() {
		f.record.fail(err)
	}
}
