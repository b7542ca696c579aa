package sip

import (
	"context"
	"fmt"

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

// refuseFork ends the second call that a forking proxy let answer our INVITE.
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
