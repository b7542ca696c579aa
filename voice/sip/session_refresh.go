package sip

import (
	"context"
	"errors"
	"fmt"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/sdp"
	"github.com/callwright/callwright/voice/sip/wire"
)

// answerSession puts the terms of a request into its answer and keeps to them. Whoever asked for a timer refreshes,
// unless it named us or cannot (RFC 4028 table 2). Who asks for none refreshes no more, and has to be waited for no more.
func (l *Leg) answerSession(req *siplib.Request, res *siplib.Response) {
	terms, ok := readSession(req)
	if !ok {
		l.session.stop()
		return
	}
	supported := supportsTimer(req)
	switch {
	case !supported: // a proxy asked for it
		terms.refresher = refresherUAS
	case terms.refresher == "":
		terms.refresher = refresherUAC
	}
	res.AppendHeader(terms.header())
	if supported {
		res.AppendHeader(siplib.NewHeader("Require", "timer"))
	}
	l.keepSession(terms.interval, terms.refresher == refresherUAS)
}

// takeSession keeps to the terms in an answer to a request of ours. Without any there is no timer.
func (l *Leg) takeSession(res *siplib.Response) {
	if terms, ok := readSession(res); ok {
		l.keepSession(terms.interval, terms.refresher != refresherUAS)
	} else {
		l.session.stop()
	}
}

// keepSession begins a new interval in which we refresh, or watch the far end refreshing.
func (l *Leg) keepSession(interval time.Duration, ours bool) {
	l.session.agree(interval)
	if ours {
		l.session.set(interval/2, func() { l.ua.wire.Spawn(l.refreshSession) })
		return
	}
	l.session.set(interval-min(sessionMargin, interval/3), func() {
		l.ua.wire.Spawn(func() { l.abort(ErrSessionExpired) })
	})
}

// refreshSession lets the far end know that we are still there. A refresh that fails for a passing reason is tried again
// before the interval is over.
func (l *Leg) refreshSession() {
	interval, left := l.session.state()
	ctx, cancel := context.WithTimeout(l.remoteEnd, l.ua.timers.timeout())
	defer cancel()
	err := l.refresh(ctx, interval)
	var refused *Refused
	switch {
	case err == nil || l.ended():
	case errors.As(err, &refused) && refused.Code != siplib.StatusCallTransactionDoesNotExists &&
		refused.Code != siplib.StatusRequestTimeout && left > interval/8:
		l.session.set(left/4, func() { l.ua.wire.Spawn(l.refreshSession) })
	case errors.Is(err, sdp.ErrGlare) && left > interval/8: // another offer is doing it for us
		l.session.set(left/4, func() { l.ua.wire.Spawn(l.refreshSession) })
	default:
		l.abort(errors.Join(ErrSessionExpired, err))
	}
}

// refresh sends an UPDATE, or to a far end that knows none our description once more.
func (l *Leg) refresh(ctx context.Context, interval time.Duration) error {
	if !l.updates.Load() {
		return l.reoffer(ctx)
	}
	done, err := l.exchange(ctx, siplib.UPDATE, func(req *siplib.Request) {
		req.AppendHeader(l.contact())
		askSession(req, interval, 0)
	})
	if err != nil {
		return fmt.Errorf("refresh session: %w", err)
	}
	switch code := done.Res.StatusCode; {
	case done.Res.IsSuccess():
		l.takeSession(done.Res)
		return nil
	case code == siplib.StatusMethodNotAllowed || code == siplib.StatusNotImplemented: // by somebody on the way
		l.updates.Store(false)
		return l.refresh(ctx, interval)
	}
	return fmt.Errorf("refresh session: %w", wire.RefusedBy(done.Res))
}
