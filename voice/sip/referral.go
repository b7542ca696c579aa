package sip

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/sip/wire"
)

// Referral is the far end's wish that we call somebody else in its place (RFC 3515). It is accepted; whoever takes it
// tells how the call to the target goes.
type Referral struct {
	Target string // a number, or what else a SIP URI has before its host

	leg *Leg
	id  string // of the subscription that the REFER made
}

// Referrals are the far end's wishes to be replaced, where Config.Transfers accepts any. A second one is refused until
// the first was taken.
func (l *Leg) Referrals() <-chan *Referral { return l.referrals }

// Tell says how the call to the target goes: 1xx as it proceeds, and then once how it ended. It returns when the far end
// has heard it.
func (r *Referral) Tell(ctx context.Context, code int, reason string) error {
	select {
	case <-r.leg.Done(): // the far end may answer until it has heard that, too
		return errors.New("tell how a transfer goes: the call is over")
	default:
	}
	state := "active;expires=60"
	if code >= 200 {
		state = "terminated;reason=noresource"
	}
	done, err := r.leg.exchange(ctx, siplib.NOTIFY, func(req *siplib.Request) {
		kind := siplib.ContentTypeHeader("message/sipfrag;version=2.0")
		for _, h := range []siplib.Header{
			r.leg.contact(), siplib.NewHeader("Event", "refer;id="+r.id), siplib.NewHeader("Subscription-State", state), &kind,
		} {
			req.AppendHeader(h)
		}
		req.SetBody(fmt.Appendf(nil, "SIP/2.0 %d %s\r\n", code, reason))
	})
	if err == nil && !done.Res.IsSuccess() {
		err = wire.RefusedBy(done.Res)
	}
	if err != nil {
		return fmt.Errorf("tell how a transfer goes: %w", err)
	}
	return nil
}

// onRefer takes a wish to be replaced. On a line of the platform nobody may send our calls elsewhere at our expense, so
// it is refused unless the configuration says otherwise.
func (ua *UA) onRefer(req *siplib.Request, tx siplib.ServerTransaction) {
	if !ua.cfg.Transfers {
		ua.wire.Reply(req, tx, siplib.StatusMethodNotAllowed, "Method Not Allowed", ua.allow())
		return
	}
	l := ua.findOrRefuse(req, tx)
	if l == nil {
		return
	}
	to := req.ReferTo()
	if to == nil {
		ua.wire.Reply(req, tx, siplib.StatusBadRequest, "Bad Request")
		return
	}
	select {
	case l.referrals <- &Referral{Target: number(&to.Address), leg: l, id: strconv.FormatUint(uint64(req.CSeq().SeqNo), 10)}:
		res := siplib.NewResponseFromRequest(req, siplib.StatusAccepted, "Accepted", nil)
		res.AppendHeader(l.contact())
		ua.wire.Respond(tx, res)
	default:
		ua.wire.Reply(req, tx, siplib.StatusRequestPending, "Request Pending")
	}
}

// allow lists the methods that we take.
func (ua *UA) allow() siplib.Header {
	methods := "INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO, NOTIFY"
	if ua.cfg.Transfers {
		methods += ", REFER"
	}
	return siplib.NewHeader("Allow", methods)
}
