package sip

import (
	"context"
	"fmt"
	"slices"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/sip/wire"
)

// maxForks second answers of an INVITE are ended at a time: a proxy forks to a few, and repeats what was not ended yet.
const maxForks = 8

// confirm sends the ACK of a 2xx, and again whenever the 2xx comes again.
func (l *Leg) confirm(done *wire.Exchanged) error {
	d := l.Dialog()
	d.CSeq = done.Req.CSeq().SeqNo
	ack, err := d.Request(siplib.ACK)
	if err != nil {
		return err
	}
	l.ua.wire.Address(ack, &d)
	for _, name := range []string{"Authorization", "Proxy-Authorization"} { // RFC 3261 section 22.1
		if h := done.Req.GetHeader(name); h != nil {
			ack.AppendHeader(siplib.HeaderClone(h))
		}
	}
	again, forks := ack.Clone(), make(chan struct{}, maxForks)
	done.Tx.OnRetransmission(func(res *siplib.Response) {
		if !wire.WellFormed(res) {
			return
		}
		if res.To().Params.GetOr("tag", "") != d.RemoteTag {
			select {
			case forks <- struct{}{}:
				l.ua.wire.Spawn(func() {
					l.ua.refuseFork(lapsed{done.Req, l.account, l.confined.Reach}, res)
					<-forks
				})
			default:
			}
			return
		}
		if err := l.ua.wire.Write(l.ua.ctx, again.Clone()); err != nil {
			l.ua.log.Debug("ACK was not repeated", "error", err)
		}
	})
	if err := l.ua.wire.Write(l.ua.ctx, ack); err != nil {
		return fmt.Errorf("send ACK: %w", err)
	}
	return nil
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
	if !wire.WellFormed(res) || !res.IsSuccess() || res.CSeq().MethodName != siplib.INVITE {
		return
	}
	key := legKey{res.CallID().Value(), res.From().Params.GetOr("tag", "")}
	ua.mu.Lock()
	l, found := ua.lapsed[key]
	delete(ua.lapsed, key)
	ua.mu.Unlock()
	if found {
		ua.wire.Spawn(func() { ua.refuseFork(l, res) })
	}
}

// refuseFork ends a call that nobody wants: the second one of a forking proxy that answers our INVITE, or a late one.
func (ua *UA) refuseFork(l lapsed, res *siplib.Response) {
	// Nobody waits for the end of a call that nobody wanted.
	ctx, cancel := context.WithTimeout(context.Background(), ua.timers.timeout())
	defer cancel()
	d, invalid := wire.DialogOfCaller(l.req, res, ua.confine(l.req.CallID().Value(), l.reach).hops())
	if invalid != nil {
		ua.log.Info("second answer is malformed", "error", invalid)
	}
	ack, err := d.Request(siplib.ACK)
	if err == nil {
		ua.wire.Address(ack, &d)
		err = ua.wire.Write(ctx, ack)
	}
	if err == nil {
		err = ua.wire.Bye(ctx, wire.NewLiveDialog(d), l.account)
	}
	if err != nil {
		ua.log.Warn("second answer was not refused", "error", err)
	}
}

// orphanGap is how far EndOrphan jumps ahead of the stored CSeq, past whatever the dead process sent after storing.
// Gaps are legal, repeats are not (RFC 3261 section 12.2.1.1).
const orphanGap = 1000

// EndOrphan sends BYE for a dialog that a dead process left behind, with the account to name to far ends that ask who says
// so; it may be empty. A far end that has already forgotten the dialog is success.
func (ua *UA) EndOrphan(ctx context.Context, d Dialog, username, password string) error {
	d.Routes = slices.Clone(d.Routes)
	d.CSeq += orphanGap
	if err := ua.wire.Bye(ctx, wire.NewLiveDialog(d), wire.Credentials{Username: username, Password: password}); err != nil {
		return fmt.Errorf("end orphaned call: %w", err)
	}
	return nil
}
