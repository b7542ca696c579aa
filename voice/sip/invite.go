package sip

import (
	"context"
	"errors"
	"net/netip"
	"sync"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/sdp"
)

// onInvite takes the INVITE of a new call. It returns when the call is decided and its callback is done.
func (ua *UA) onInvite(req *siplib.Request, tx siplib.ServerTransaction) {
	if ua.refuses() || !ua.enter() {
		ua.wire.Reply(req, tx, siplib.StatusServiceUnavailable, "Service Unavailable", siplib.NewHeader("Retry-After", drainRetryAfter))
		return
	}
	in := ua.newInbound(req, tx)
	defer in.stop()
	if !in.admit() {
		in.leave()
		return
	}
	ended := ua.awaitEarly(legKey{in.CallID, in.tag}, early{req.From().Params.GetOr("tag", ""), in.early})
	defer ended()
	in.ring()
	<-in.left // sipgo drops the transaction when we return, and somebody else may be deciding just now
}

func (ua *UA) newInbound(req *siplib.Request, tx siplib.ServerTransaction) *Inbound {
	in := &Inbound{
		From: number(&req.From().Address), FromName: req.From().DisplayName, To: number(&req.Recipient), CallID: req.CallID().Value(),
		ua: ua, req: req, tx: tx, tag: siplib.GenerateTagN(16), left: make(chan struct{}),
	}
	if ua.isToken(req.Recipient.User) { // which is no number: the one dialled is in the To header
		in.Token, in.To = req.Recipient.User, number(&req.To().Address)
	}
	in.leave = sync.OnceFunc(func() {
		ua.calls.Done()
		close(in.left)
	})
	if source, err := netip.ParseAddrPort(req.Source()); err == nil {
		in.Source = source
	}
	in.ctx, in.stop = context.WithCancel(ua.ctx)
	return in
}

// admit refuses what no callback has to see.
func (in *Inbound) admit() bool {
	ua, req, tx := in.ua, in.req, in.tx
	if ua.cfg.Inbound == nil {
		ua.wire.Reply(req, tx, siplib.StatusNotFound, "Not Found")
		return false
	}
	if req.Contact() == nil || !req.From().Params.Has("tag") {
		ua.wire.Reply(req, tx, siplib.StatusBadRequest, "Bad Request")
		return false
	}
	if ua.tooShort(req, tx, 0) {
		return false
	}
	offer, err := sessionIn(req)
	if err == nil && len(offer) > 0 {
		err = sdp.Validate(offer)
	}
	if err != nil {
		ua.refuseOffer(req, tx, err)
		return false
	}
	in.offer = offer
	return true
}

// ring runs the callback and sees to it that the call is decided after it.
func (in *Inbound) ring() {
	cancel := func(*siplib.Request) {
		if in.giveUp() {
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
