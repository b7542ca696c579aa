package sip

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	siplib "github.com/emiago/sipgo/sip"
)

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
	if !ua.admit(req, tx) {
		in.leave()
		return
	}
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

// number is the user part of a SIP URI, or what a tel URI names, without parameters and escapes.
func number(uri *siplib.Uri) string {
	user := uri.User
	if user == "" {
		user = uri.Raw()
	}
	user, _, _ = strings.Cut(user, ";")
	if plain, err := url.PathUnescape(user); err == nil {
		return plain
	}
	return user
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
	if terms, ok := readSession(req); ok && terms.interval < ua.timers.session && supportsTimer(req) {
		least := siplib.NewHeader("Min-SE", strconv.Itoa(int(ua.timers.session.Seconds())))
		ua.refuse(req, tx, statusSessionTooSmall, "Session Interval Too Small", least)
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
