package sip

import (
	"context"
	"errors"
	"fmt"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sip/wire"
)

// run sees the INVITE through to its end, whether or not anybody still waits for it.
func (c *outgoing) run() {
	defer c.ua.calls.Done()
	defer c.quit()
	ended := c.ua.awaitEarly(legKey{c.dial.CallID, c.tag}, early{"", c.early})
	defer ended()
	leg, err := c.attempt()
	if c.ua.ctx.Err() != nil { // answered or not, this call may not live
		err = errors.Join(media.ErrClosed, err)
		if leg != nil {
			leg.abort(media.ErrClosed)
			leg = nil
		}
	}
	if err != nil {
		err = errors.Join(err, c.media.Close())
	}
	select {
	case c.answered <- answer{leg, err}:
	case <-c.wanted.Done():
		if leg != nil {
			leg.abort(nil)
		}
	}
}

// attempt sends the INVITE, and again with credentials or other encryption as long as that is what is missing.
func (c *outgoing) attempt() (*Leg, error) {
	if err := c.await(); err != nil {
		return nil, err
	}
	for {
		done, err := c.invite()
		if err != nil {
			return nil, err
		}
		if done.Res.IsSuccess() {
			return c.connect(done)
		}
		if c.sessionTooShort(done.Res) && !c.abandoned() {
			continue
		}
		another, err := c.reconsider(done.Res)
		if err != nil {
			return nil, errors.Join(wire.RefusedBy(done.Res), err)
		}
		if another && !c.abandoned() {
			continue
		}
		again, err := c.auth.Answer(done.Req, done.Res)
		if err != nil {
			return nil, errors.Join(wire.RefusedBy(done.Res), err)
		}
		if !again || c.abandoned() {
			return nil, wire.RefusedBy(done.Res)
		}
	}
}

// await waits for the moment at which the INVITE may leave.
func (c *outgoing) await() error {
	wait := time.Until(c.dial.NotBefore)
	if wait <= 0 {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-c.wanted.Done():
		return context.Canceled
	case <-c.ua.ctx.Done():
		return media.ErrClosed
	}
}

// maxInsisted is how many proxies on the way may insist on an interval, each on a longer one: a server could for ever.
const maxInsisted = 4

// sessionTooShort takes the interval that a 422 insists on; it returns false for other answers, and for one that asks for
// less than it got.
func (c *outgoing) sessionTooShort(res *siplib.Response) bool {
	if res.StatusCode != statusSessionTooSmall || c.insisted == maxInsisted {
		return false
	}
	c.insisted++
	before := max(c.shortest, c.ua.cfg.SessionExpires)
	c.shortest = seconds(res.GetHeader("Min-SE"))
	return c.shortest > before
}

// invite sends one INVITE and waits for its final answer.
func (c *outgoing) invite() (*wire.Exchanged, error) {
	req := c.request()
	ctx, stop := context.WithCancel(c.wanted) // which only opening a connection heeds
	defer context.AfterFunc(c.ua.ctx, stop)()
	defer stop()
	tx, err := c.ua.wire.Transact(ctx, req, c.dial.Permit)
	if errors.Is(err, ErrNotPermitted) {
		return nil, err
	}
	if err != nil {
		return nil, errors.Join(&Refused{Code: siplib.StatusServiceUnavailable, Reason: "Transport Error"}, err)
	}
	if !c.sent && c.dial.Sent != nil {
		c.dial.Sent()
	}
	c.sent = true
	res, err := c.ring(req, tx)
	if err != nil {
		tx.Terminate()
		c.ua.lapse(lapsed{req, c.auth.Credentials, c.dial.Reach})
		return nil, err
	}
	return &wire.Exchanged{Req: req, Res: res, Tx: tx}, nil
}

// connect makes a leg of a 2xx.
func (c *outgoing) connect(done *wire.Exchanged) (*Leg, error) {
	confined := c.ua.confine(c.dial.CallID, c.dial.Reach)
	d, invalid := wire.DialogOfCaller(done.Req, done.Res, confined.hops())
	peer := confined.hops().Peer(wire.TransportOf(done.Req), done.Res.Source(), done.Req.Destination())
	leg := c.ua.newLeg(d, c.media, c.offers, peer, confined)
	leg.account, leg.permit = c.auth.Credentials, c.dial.Permit
	leg.updates.Store(listed(done.Res, string(siplib.UPDATE), "Allow"))
	c.ua.register(leg)
	err := errors.Join(leg.confirm(done), invalid)
	if err == nil {
		err = leg.takeAnswerIn(c.described(done.Res))
	}
	if err != nil {
		leg.abort(err)
		return nil, errors.Join(&Refused{Code: siplib.StatusNotAcceptableHere, Reason: "Not Acceptable Here"}, err)
	}
	leg.takeSession(done.Res)
	leg.media.Start()
	return leg, nil
}

// Dial places a call and returns when it is answered. A refusal is a *Refused. ErrNotPermitted: nobody rings, as the INVITE
// has not left, or those before it were refused. When ctx ends first, Dial returns its
// error at once; the INVITE is cancelled behind it, and an answer that crosses the CANCEL is hung up.
func (ua *UA) Dial(ctx context.Context, d Dial) (*Leg, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	if !ua.enter() {
		return nil, fmt.Errorf("dial: %w", media.ErrClosed)
	}
	call, err := ua.newOutgoing(d)
	if err != nil {
		ua.calls.Done()
		return nil, fmt.Errorf("dial: %w", err)
	}
	if !ua.wire.Spawn(call.run) {
		call.quit()
		ua.calls.Done()
		return nil, fmt.Errorf("dial: %w", errors.Join(media.ErrClosed, call.media.Close()))
	}
	select {
	case answer := <-call.answered:
		if answer.err != nil {
			return nil, fmt.Errorf("dial: %w", answer.err)
		}
		return answer.leg, nil
	case <-ctx.Done():
		call.quit()
		return nil, fmt.Errorf("dial: %w", ctx.Err())
	}
}
