package sip

import (
	"context"
	"fmt"
	"time"

	siplib "github.com/emiago/sipgo/sip"
)

// confirm sends the ACK of a 2xx, and again whenever the 2xx comes again.
func (l *Leg) confirm(done *exchanged) error {
	d := l.Dialog()
	d.CSeq = done.req.CSeq().SeqNo
	ack, err := d.request(siplib.ACK)
	if err != nil {
		return err
	}
	l.ua.address(ack, &d)
	for _, name := range []string{"Authorization", "Proxy-Authorization"} { // RFC 3261 section 22.1
		if h := done.req.GetHeader(name); h != nil {
			ack.AppendHeader(siplib.HeaderClone(h))
		}
	}
	again := ack.Clone()
	done.tx.OnRetransmission(func(res *siplib.Response) {
		if !wellFormed(res) {
			return
		}
		if res.To().Params.GetOr("tag", "") != d.RemoteTag {
			l.ua.spawn(func() { l.ua.refuseFork(done.req, res, l.account) })
			return
		}
		if err := l.ua.write(again.Clone()); err != nil {
			l.ua.log.Debug("ACK was not repeated", "error", err)
		}
	})
	if err := l.ua.write(ack); err != nil {
		return fmt.Errorf("send ACK: %w", err)
	}
	return nil
}

// lapsed is an INVITE whose transaction is over without an answer.
type lapsed struct {
	req     *siplib.Request
	account credentials
}

// lapse remembers an INVITE for as long as its far end may still repeat an answer that did not come through.
func (ua *UA) lapse(l lapsed) {
	key := legKey{l.req.CallID().Value(), l.req.From().Params.GetOr("tag", "")}
	ua.mu.Lock()
	defer ua.mu.Unlock()
	ua.lapsed[key] = l
	time.AfterFunc(ua.timers.timeout(), func() {
		ua.mu.Lock()
		defer ua.mu.Unlock()
		delete(ua.lapsed, key)
	})
}

// strayResponse sees answers to what is over: repetitions, mostly. A call that is answered this late is ended, or its far
// end would listen to nothing.
func (ua *UA) strayResponse(res *siplib.Response) {
	ua.log.Debug("stray sip response", "code", res.StatusCode)
	if !wellFormed(res) || !res.IsSuccess() || res.CSeq().MethodName != siplib.INVITE {
		return
	}
	key := legKey{res.CallID().Value(), res.From().Params.GetOr("tag", "")}
	ua.mu.Lock()
	l, found := ua.lapsed[key]
	delete(ua.lapsed, key)
	ua.mu.Unlock()
	if found {
		ua.spawn(func() { ua.refuseFork(l.req, res, l.account) })
	}
}

// refuseFork ends a call that nobody wants: the second one of a forking proxy that answers our INVITE, or a late one.
func (ua *UA) refuseFork(req *siplib.Request, res *siplib.Response, account credentials) {
	d, err := dialogOfCaller(req, res)
	if err != nil {
		return
	}
	ack, err := d.request(siplib.ACK)
	if err == nil {
		ua.address(ack, &d)
		err = ua.write(ack)
	}
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), ua.timers.timeout())
		defer cancel()
		err = ua.bye(ctx, &dialog{d: d}, account)
	}
	if err != nil {
		ua.log.Warn("second answer was not refused", "error", err)
	}
}
