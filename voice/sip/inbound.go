package sip

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sdp"
	"github.com/callwright/callwright/voice/sip/wire"
)

// ErrCancelled is returned by Answer when the caller gave up before.
var ErrCancelled = errors.New("the caller gave up")

var (
	errDecided = errors.New("the call was answered or rejected before")
	errNoACK   = errors.New("the answer was never acknowledged")
	errUnacked = errors.New("answers before were not acknowledged")
	errOver    = errors.New("the call ended before the answer was acknowledged")
)

// States of an Inbound. It leaves ringing exactly once.
const (
	ringing int32 = iota
	decided       // by us: answered or rejected
	cancelled
)

// Inbound is a call that rings here. The callback that gets it decides with Answer or Reject; returning without either
// rejects it with 480. A leg lives on after the callback returns.
type Inbound struct {
	From, To string // user parts
	FromName string
	CallID   string
	Token    string         // of the registration that the call came through; empty: through none
	Source   netip.AddrPort // where the INVITE came from
	Permit   func() error   // asked before a REFER of the leg; set before Answer, nil permits all
	Reach    Reach          // where packets may go beside Source; set before Answer
	Wideband bool           // take G.722 where the caller prefers it; set before Answer

	ua    *UA
	req   *siplib.Request
	tx    siplib.ServerTransaction
	tag   string
	offer []byte // nil: the caller waits for ours
	state atomic.Int32
	ctx   context.Context
	stop  context.CancelFunc
	leave func()        // takes the ringing call out of those that a drain waits for; whoever decides calls it last
	left  chan struct{} // closed by leave
}

// Header returns the first value of a header of the INVITE, or empty.
func (in *Inbound) Header(name string) string {
	if h := in.req.GetHeader(name); h != nil {
		return h.Value()
	}
	return ""
}

// Done is closed when the caller gave up, or the user agent closed, while the call was ringing.
func (in *Inbound) Done() <-chan struct{} { return in.ctx.Done() }

// Ring lets the caller know that it rings (180).
func (in *Inbound) Ring() error {
	if in.state.Load() != ringing {
		return fmt.Errorf("ring: %w", in.over())
	}
	res := in.response(siplib.StatusRinging, "Ringing")
	res.AppendHeader(in.contact())
	if err := in.tx.Respond(res); err != nil {
		return fmt.Errorf("ring: %w", err)
	}
	return nil
}

// Reject refuses the call with a final code, 300 to 699. A 503 says when to come again: without that a carrier may take us
// for gone (RFC 3261 section 21.5.4).
func (in *Inbound) Reject(code int, reason string) error {
	if code < 300 || code > 699 {
		return fmt.Errorf("reject call: %d is no refusal", code)
	}
	if !in.state.CompareAndSwap(ringing, decided) {
		return fmt.Errorf("reject call: %w", in.over())
	}
	defer in.leave()
	res := in.response(code, reason)
	if code == siplib.StatusServiceUnavailable {
		res.AppendHeader(siplib.NewHeader("Retry-After", soonAgain))
	}
	if err := in.tx.Respond(res); err != nil {
		return fmt.Errorf("reject call: %w", err)
	}
	return nil
}

// Answer takes the call and returns once the caller has acknowledged that. When ctx ends or the acknowledgement never
// comes, the call is hung up.
func (in *Inbound) Answer(ctx context.Context) (*Leg, error) {
	if !in.state.CompareAndSwap(ringing, decided) {
		return nil, fmt.Errorf("answer call: %w", in.over())
	}
	defer in.leave()
	leg, res, err := in.prepare()
	if err != nil {
		refusal := in.response(siplib.StatusServiceUnavailable, "Service Unavailable")
		return nil, fmt.Errorf("answer call: %w", errors.Join(err, in.tx.Respond(refusal)))
	}
	in.ua.register(leg)
	acked := leg.acks.expect(in.req.CSeq().SeqNo)
	if err := in.tx.Respond(res); err != nil { // a CANCEL was faster
		if leg.finish(ErrCancelled) {
			in.ua.forget(leg)
		}
		if errors.Is(err, siplib.ErrTransactionCanceled) {
			err = ErrCancelled
		}
		return nil, fmt.Errorf("answer call: %w", err)
	}
	if err := in.settle(ctx, leg, res, acked); err != nil {
		return nil, fmt.Errorf("answer call: %w", err)
	}
	return leg, nil
}

// prepare makes the leg and the 200 that announces it.
func (in *Inbound) prepare() (*Leg, *siplib.Response, error) {
	m, addr, err := in.ua.openMedia(in.Source.Addr().String())
	if err != nil {
		return nil, nil, err
	}
	confined := in.ua.confine(in.CallID, in.Reach)
	d, err := wire.DialogOfCallee(in.req, in.tag, confined.hops())
	if err != nil {
		return nil, nil, errors.Join(err, m.Close())
	}
	leg := in.ua.newLeg(d, m, sdp.New(addr, sdp.Wishes{Wideband: in.Wideband}, m.Agree), in.Source, confined)
	leg.account, leg.permit = in.ua.accountOf(in.Token), in.Permit
	leg.updates.Store(listed(in.req, string(siplib.UPDATE), "Allow"))
	var body []byte
	if len(in.offer) > 0 {
		body, err = leg.offers.Answer(in.offer, in.req.CSeq().SeqNo)
	} else {
		body, err = leg.offers.Offer()
	}
	if err != nil {
		return nil, nil, errors.Join(err, m.Close())
	}
	res := in.response(siplib.StatusOK, "OK")
	for _, h := range []siplib.Header{in.contact(), in.ua.allow()} {
		res.AppendHeader(h)
	}
	leg.answerSession(in.req, res)
	setSDP(res, body)
	return leg, res, nil
}

// settle waits for the ACK and starts the media. A call whose ACK is missing exists nevertheless and needs a BYE, but
// not before the ACK had its chance (RFC 3261 sections 13.3.1.4 and 15).
func (in *Inbound) settle(ctx context.Context, leg *Leg, res *siplib.Response, acked <-chan *siplib.Request) error {
	result := make(chan error) // unbuffered: a leg nobody waits for any more is hung up
	spawned := in.ua.wire.Spawn(func() {
		ack, err := in.ua.insist(in.tx, res, leg, acked)
		if err == nil && len(in.offer) == 0 {
			err = leg.takeAnswerIn(ack)
		}
		if err != nil {
			leg.abort(err)
		} else {
			leg.media.Start()
		}
		select {
		case result <- err:
		case <-ctx.Done():
			leg.abort(ctx.Err())
		}
	})
	if !spawned {
		leg.abort(media.ErrClosed)
		return media.ErrClosed
	}
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// insist sends a 2xx again until its ACK comes (RFC 3261 section 13.3.1.4).
func (ua *UA) insist(
	tx siplib.ServerTransaction, res *siplib.Response, leg *Leg, acked <-chan *siplib.Request,
) (*siplib.Request, error) {
	defer leg.acks.forget(res.CSeq().SeqNo)
	interval := ua.timers.t1
	again := time.NewTimer(interval)
	defer again.Stop()
	giveUp := time.NewTimer(ua.timers.timeout())
	defer giveUp.Stop()
	for {
		select {
		case ack := <-acked:
			return ack, nil
		case ack := <-tx.Acks(): // from a caller that gave it the branch of the INVITE
			return ack, nil
		case <-leg.Done():
			return nil, errors.Join(errOver, leg.Err())
		case <-again.C:
			if err := tx.Respond(res); err != nil {
				return nil, fmt.Errorf("repeat answer: %w", err)
			}
			interval = min(2*interval, ua.timers.t2)
			again.Reset(interval)
		case <-giveUp.C:
			return nil, errNoACK
		}
	}
}

// contact returns where the caller sends the requests of this call. A sips call stays one (RFC 3261 section 12.1.1).
func (in *Inbound) contact() *siplib.ContactHeader {
	return in.ua.wire.Contact(in.tag, in.Source.String(), wire.TransportOf(in.req), in.req.Recipient.IsEncrypted())
}

// over returns why the call can no longer be decided.
func (in *Inbound) over() error {
	if in.state.Load() == cancelled {
		return ErrCancelled
	}
	return errDecided
}

// response builds an answer to the INVITE with the one tag that all of them carry.
func (in *Inbound) response(code int, reason string) *siplib.Response {
	res := siplib.NewResponseFromRequest(in.req, code, reason, nil)
	res.To().Params.Add("tag", in.tag)
	return res
}

// early takes what a caller asks before the call is answered: BYE is its other way to give up, and an offer has to wait
// for the answer to the one before (RFC 3311 section 5.2).
func (in *Inbound) early(req *siplib.Request, tx siplib.ServerTransaction) {
	switch {
	case req.Method == siplib.BYE:
		in.ua.wire.Accept(req, tx)
		if in.giveUp() {
			in.ua.wire.Respond(in.tx, in.response(siplib.StatusRequestTerminated, "Request Terminated"))
			in.leave()
		}
	case req.Method == siplib.REFER:
		in.ua.wire.Reply(req, tx, siplib.StatusTemporarilyUnavailable, "Temporarily Unavailable")
	case offers(req):
		in.ua.wire.Reply(req, tx, siplib.StatusInternalServerError, "Server Internal Error", siplib.NewHeader("Retry-After", soonAgain))
	default:
		in.ua.wire.Accept(req, tx, in.contact())
	}
}

// giveUp is true for the caller's first wish to end a call that rings.
func (in *Inbound) giveUp() bool {
	first := in.state.CompareAndSwap(ringing, cancelled)
	if first {
		in.stop()
	}
	return first
}
