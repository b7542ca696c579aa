package sip

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	siplib "github.com/emiago/sipgo/sip"
)

// ErrCancelled is returned by Answer when the caller gave up before.
var ErrCancelled = errors.New("the caller gave up")

var (
	errDecided = errors.New("the call was answered or rejected before")
	errNoACK   = errors.New("the answer was never acknowledged")
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
	Source   netip.AddrPort // where the INVITE came from

	ua    *UA
	req   *siplib.Request
	tx    siplib.ServerTransaction
	tag   string
	state atomic.Int32
	ctx   context.Context
	stop  context.CancelFunc
	leave func() // takes the ringing call out of those that a drain waits for; once
}

// Header is the first value of a header of the INVITE, or empty.
func (in *Inbound) Header(name string) string {
	if h := in.req.GetHeader(name); h != nil {
		return h.Value()
	}
	return ""
}

// Done is closed when the caller gave up, or the user agent closed, while the call was ringing.
func (in *Inbound) Done() <-chan struct{} { return in.ctx.Done() }

// Ring tells the caller that it rings (180).
func (in *Inbound) Ring() error {
	if in.state.Load() != ringing {
		return fmt.Errorf("ring: %w", in.over())
	}
	res := in.response(siplib.StatusRinging, "Ringing")
	res.AppendHeader(in.ua.contact())
	if err := in.tx.Respond(res); err != nil {
		return fmt.Errorf("ring: %w", err)
	}
	return nil
}

// Reject refuses the call with a final code, 300 to 699.
func (in *Inbound) Reject(code int, reason string) error {
	if code < 300 || code > 699 {
		return fmt.Errorf("reject call: %d is no refusal", code)
	}
	if !in.state.CompareAndSwap(ringing, decided) {
		return fmt.Errorf("reject call: %w", in.over())
	}
	defer in.leave()
	if err := in.tx.Respond(in.response(code, reason)); err != nil {
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
		refusal := in.response(siplib.StatusInternalServerError, "Server Internal Error")
		return nil, fmt.Errorf("answer call: %w", errors.Join(err, in.tx.Respond(refusal)))
	}
	in.ua.register(leg)
	in.leave()
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
	m, addr, err := in.ua.openMedia()
	if err != nil {
		return nil, nil, err
	}
	d, err := dialogOfCallee(in.req, in.tag)
	if err != nil {
		return nil, nil, errors.Join(err, m.close())
	}
	leg := in.ua.newLeg(d, m, newOffer(addr, false))
	var body []byte
	if offer := in.req.Body(); len(offer) > 0 {
		if body, err = leg.takeOffer(offer, in.req.CSeq().SeqNo); err != nil {
			return nil, nil, errors.Join(err, m.close())
		}
	} else {
		body = leg.makeOffer() // the caller answers in its ACK
	}
	res := in.response(siplib.StatusOK, "OK")
	for _, h := range []siplib.Header{in.ua.contact(), siplib.NewHeader("Allow", allowed)} {
		res.AppendHeader(h)
	}
	addSessionTimer(in.req, res)
	setSDP(res, body)
	return leg, res, nil
}

// settle waits for the ACK and starts the media. A call whose ACK is missing exists nevertheless and needs a BYE, but
// not before the ACK had its chance (RFC 3261 sections 13.3.1.4 and 15).
func (in *Inbound) settle(ctx context.Context, leg *Leg, res *siplib.Response, acked <-chan *siplib.Request) error {
	result := make(chan error) // unbuffered: a leg nobody waits for any more is hung up
	spawned := in.ua.spawn(func() {
		ack, err := in.ua.insist(in.tx, res, leg, acked)
		if err == nil && len(in.req.Body()) == 0 {
			err = leg.takeAnswer(ack.Body())
		}
		if err != nil {
			leg.abort(err)
		} else {
			leg.media.start()
		}
		select {
		case result <- err:
		case <-ctx.Done():
			leg.abort(ctx.Err())
		}
	})
	if !spawned {
		leg.abort(ErrClosed)
		return ErrClosed
	}
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// insist sends a 2xx again until its ACK comes (RFC 3261 section 13.3.1.4).
func (ua *UA) insist(tx siplib.ServerTransaction, res *siplib.Response, leg *Leg, acked <-chan *siplib.Request) (*siplib.Request, error) {
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
			return nil, leg.Err()
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

// over tells why the call can no longer be decided.
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

// onInvite takes the INVITE of a new call. It returns when the call is decided and its callback is done.
func (ua *UA) onInvite(req *siplib.Request, tx siplib.ServerTransaction) {
	if req.To().Params.Has("tag") {
		ua.onOffer(req, tx)
		return
	}
	if !ua.enter() {
		ua.refuse(req, tx, siplib.StatusServiceUnavailable, "Service Unavailable", siplib.NewHeader("Retry-After", drainRetryAfter))
		return
	}
	in := ua.newInbound(req, tx)
	defer in.stop()
	defer in.leave()
	if ua.admit(req, tx) {
		in.ring()
	}
}

func (ua *UA) newInbound(req *siplib.Request, tx siplib.ServerTransaction) *Inbound {
	in := &Inbound{
		leave: sync.OnceFunc(ua.calls.Done),
		From:  req.From().Address.User, FromName: req.From().DisplayName, To: req.Recipient.User, CallID: req.CallID().Value(),
		ua: ua, req: req, tx: tx, tag: siplib.GenerateTagN(16),
	}
	if source, err := netip.ParseAddrPort(req.Source()); err == nil {
		in.Source = source
	}
	in.ctx, in.stop = context.WithCancel(ua.ctx)
	return in
}

// admit refuses what no callback has to see.
func (ua *UA) admit(req *siplib.Request, tx siplib.ServerTransaction) bool {
	if ua.cfg.Inbound == nil {
		ua.refuse(req, tx, siplib.StatusNotFound, "Not Found")
		return false
	}
	if req.Contact() == nil || !req.From().Params.Has("tag") {
		ua.refuse(req, tx, siplib.StatusBadRequest, "Bad Request")
		return false
	}
	required := headerValues(req, "Require")
	required = slices.DeleteFunc(required, func(option string) bool { return option == "timer" })
	if len(required) > 0 {
		ua.refuse(req, tx, siplib.StatusBadExtension, "Bad Extension", siplib.NewHeader("Unsupported", strings.Join(required, ", ")))
		return false
	}
	if len(req.Body()) > 0 {
		if _, err := parseSDP(req.Body()); err != nil {
			ua.refuse(req, tx, siplib.StatusNotAcceptableHere, "Not Acceptable Here")
			return false
		}
	}
	return true
}

// ring runs the callback and sees to it that the call is decided after it.
func (in *Inbound) ring() {
	cancel := func(*siplib.Request) {
		if in.state.CompareAndSwap(ringing, cancelled) {
			in.stop()
			in.leave()
		}
	}
	if !in.tx.OnCancel(cancel) {
		cancel(nil)
		return
	}
	closing := context.AfterFunc(in.ua.ctx, in.conclude)
	defer closing()
	in.ua.cfg.Inbound(in.ctx, in)
	in.conclude()
}

// conclude rejects the call if it is still undecided.
func (in *Inbound) conclude() {
	code, reason := siplib.StatusTemporarilyUnavailable, "Temporarily Unavailable"
	if in.ua.ctx.Err() != nil {
		code, reason = siplib.StatusServiceUnavailable, "Service Unavailable"
	}
	err := in.Reject(code, reason)
	if err != nil && !errors.Is(err, errDecided) && !errors.Is(err, ErrCancelled) {
		in.ua.log.Warn("undecided call was not rejected", "error", err)
	}
}
