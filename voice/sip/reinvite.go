package sip

import (
	"context"
	"fmt"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/sip/wire"
)

// Hold asks the far end to stop sending (on) or to go on (off). We keep sending what is played.
func (l *Leg) Hold(ctx context.Context, on bool) error {
	offer, undo, err := l.offers.Hold(on)
	if err == nil {
		err = l.renegotiate(ctx, offer, undo)
	}
	if err != nil {
		return fmt.Errorf("hold call: %w", err)
	}
	return nil
}

// reoffer sends our description once more.
func (l *Leg) reoffer(ctx context.Context) error {
	offer, undo, err := l.offers.Refresh()
	if err != nil {
		return err
	}
	return l.renegotiate(ctx, offer, undo)
}

// renegotiate sends an offer, which is undone when the far end refuses.
func (l *Leg) renegotiate(ctx context.Context, offer []byte, undo func()) error {
	err := l.reinvite(ctx, offer)
	if err != nil {
		undo()
	}
	return err
}

// reinvite sends an offer and applies the answer.
func (l *Leg) reinvite(ctx context.Context, body []byte) error {
	interval, _ := l.session.state()
	done, err := l.exchange(ctx, siplib.INVITE, func(req *siplib.Request) {
		req.AppendHeader(l.contact())
		askSession(req, interval, 0)
		setSDP(req, body)
	})
	if err != nil {
		return err
	}
	if !done.Res.IsSuccess() {
		return wire.RefusedBy(done.Res)
	}
	l.dialog.Retarget(done.Res.Contact())
	if interval > 0 {
		l.takeSession(done.Res)
	}
	if err := l.confirm(done); err != nil {
		return err
	}
	return l.takeAnswerIn(done.Res)
}
