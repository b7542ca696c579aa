package sip

import (
	"context"
	"errors"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/sip/wire"
)

// ring waits for the final answer. Once the caller has given up it sends CANCEL, as soon as a provisional answer
// allows that (RFC 3261 section 9.1), and takes whatever final answer comes then.
func (c *outgoing) ring(req *siplib.Request, tx siplib.ClientTransaction) (*siplib.Response, error) {
	quit, closing := c.wanted.Done(), c.ua.ctx.Done()
	ringing, cancelled := false, false
	var giveUp <-chan time.Time
	cancel := func() {
		if ringing && !cancelled {
			cancelled = true
			giveUp = time.After(c.ua.timers.timeout())
			c.ua.wire.Spawn(func() { c.ua.cancel(req) })
		}
	}
	for {
		select {
		case res := <-tx.Responses():
			c.ua.received(siplib.INVITE, res)
			switch {
			case !res.IsProvisional() && wire.WellFormed(res):
				return res, nil
			case !res.IsProvisional():
				return nil, errors.Join(&Refused{Code: siplib.StatusBadGateway, Reason: "Bad Answer"}, wire.ErrMalformed)
			case len(res.Body()) > 0 && wire.WellFormed(res):
				c.foretold = res
			}
			ringing = true
			if c.abandoned() {
				cancel()
			} else if c.dial.Progress != nil {
				c.dial.Progress(res.StatusCode, res.Reason)
			}
		case <-quit:
			quit = nil
			cancel()
		case <-closing:
			closing = nil
			cancel()
			if !ringing { // nothing ever came, and we cannot stay to see whether something will
				giveUp = time.After(2 * c.ua.timers.t1)
			}
		case <-giveUp:
			return nil, &Refused{Code: siplib.StatusRequestTerminated, Reason: "Cancelled"}
		case <-tx.Done():
			c.ua.received(siplib.INVITE, nil)
			return nil, noAnswer(wire.EndOf(tx))
		}
	}
}

// noAnswer translates a transaction that ended without an answer (RFC 3261 section 8.1.3.1).
func noAnswer(err error) error {
	if errors.Is(err, siplib.ErrTransactionTimeout) {
		return errors.Join(&Refused{Code: siplib.StatusRequestTimeout, Reason: "No Answer"}, ErrNoResponse, err)
	}
	return errors.Join(&Refused{Code: siplib.StatusServiceUnavailable, Reason: "Transport Error"}, err)
}

// cancel sends CANCEL for an INVITE (RFC 3261 section 9.1).
func (ua *UA) cancel(invite *siplib.Request) {
	req := siplib.NewRequest(siplib.CANCEL, invite.Recipient)
	hops := siplib.MaxForwardsHeader(70)
	for _, h := range []siplib.Header{
		invite.Via().Clone(), siplib.HeaderClone(invite.From()), siplib.HeaderClone(invite.To()),
		siplib.HeaderClone(invite.CallID()), &siplib.CSeqHeader{SeqNo: invite.CSeq().SeqNo, MethodName: siplib.CANCEL}, &hops,
	} {
		req.AppendHeader(h)
	}
	req.SetTransport(invite.Transport())
	req.SetDestination(invite.Destination())
	// The context of the dial has ended, which is why its INVITE is cancelled.
	ctx, stop := context.WithTimeout(context.Background(), ua.timers.timeout())
	defer stop()
	tx, err := ua.wire.Transact(ctx, req, nil)
	if err == nil {
		defer tx.Terminate()
		var res *siplib.Response
		res, err = wire.FinalResponse(ctx, tx)
		ua.received(siplib.CANCEL, res)
	}
	if err != nil {
		ua.log.Debug("CANCEL was not confirmed", "error", err)
	}
}
