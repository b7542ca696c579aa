package sip

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sip/wire"
)

// Transfer asks the far end to call target, a number or a SIP URI, in our place (REFER), and waits until it tells
// whether that worked. A *Refused tells that it did not, and ErrReferRefused that nobody was rung. The leg may live on either
// way; some carriers end it themselves.
//
// RFC 3515 has the far end tell at once that it tries, and then how it ended. Some carriers and PBXs tell nothing and hang
// up on us once they have accepted: their BYE says that we are replaced. Where one that does tell hangs up before it told
// the end, the person did.
func (l *Leg) Transfer(ctx context.Context, target string) error {
	uri, err := l.referTarget(target)
	if err != nil {
		return fmt.Errorf("transfer call: %w", err)
	}
	l.referring.Add(1)
	defer l.referring.Add(-1)
	for len(l.referred) > 0 {
		<-l.referred // news of an earlier transfer
	}
	done, err := l.exchange(ctx, siplib.REFER, func(req *siplib.Request) {
		req.AppendHeader(l.contact())
		req.AppendHeader(siplib.NewHeader("Refer-To", "<"+uri+">"))
		req.AppendHeader(siplib.NewHeader("Referred-By", "<"+l.Dialog().LocalURI+">"))
	})
	if err == nil && !done.Res.IsSuccess() {
		err = fmt.Errorf("%w: %w", ErrReferRefused, wire.RefusedBy(done.Res))
	}
	if err == nil {
		err = l.awaitReferral(ctx)
	}
	if err != nil {
		return fmt.Errorf("transfer call: %w", err)
	}
	return nil
}

var errUnconfirmed = errors.New("the call ended before the transfer was confirmed")

// awaitReferral waits for the NOTIFY with a final code, or for the BYE that stands for one.
func (l *Leg) awaitReferral(ctx context.Context) error {
	done, told := l.Done(), false
	var noNews <-chan time.Time
	for {
		select {
		case code := <-l.referred:
			told = true
			switch {
			case code < 200:
				continue
			case code < 300:
				return nil
			}
			return notTransferred(code)
		case <-done:
			if !errors.Is(l.Err(), media.ErrRemoteHangup) {
				return errors.Join(errUnconfirmed, l.Err())
			}
			done, noNews = nil, time.After(newsBehind)
		case <-noNews:
			if told {
				return errors.Join(errUnconfirmed, l.Err())
			}
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// notTransferred returns the error of a transfer that was begun and ended with a code. Some carriers accept every REFER, and say
// only then that they do none.
func notTransferred(code int) error {
	refused := &Refused{Code: code, Reason: "transfer failed"}
	switch code {
	case siplib.StatusForbidden, siplib.StatusMethodNotAllowed, siplib.StatusNotImplemented:
		return fmt.Errorf("%w: %w", ErrReferRefused, refused)
	}
	return refused
}

// referTarget makes a SIP URI of a number, in the domain of the far end.
func (l *Leg) referTarget(target string) (string, error) {
	if strings.ContainsFunc(target, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '<' || c == '>' }) || target == "" {
		return "", fmt.Errorf("%q is no number", target)
	}
	if scheme, _, ok := strings.Cut(target, ":"); ok && (scheme == "sip" || scheme == "sips" || scheme == "tel") {
		var uri siplib.Uri
		if err := siplib.ParseUri(target, &uri); err != nil {
			return "", fmt.Errorf("%q is no uri: %w", target, err)
		}
		return target, wire.CheckURI(&uri)
	}
	var remote siplib.Uri
	if err := siplib.ParseUri(l.Dialog().RemoteURI, &remote); err != nil {
		return "", fmt.Errorf("read dialog uri: %w", err)
	}
	uri := siplib.Uri{Scheme: "sip", User: target, Host: remote.Host, Port: remote.Port}
	return uri.String(), nil
}

// Referrals returns the far end's wishes to be replaced, where Config.Transfers accepts any. A second one is refused until
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

// onNotify takes news of a transfer (RFC 3515 section 2.4.5).
func (ua *UA) onNotify(req *siplib.Request, tx siplib.ServerTransaction) {
	l := ua.findOrRefuse(req, tx)
	if l == nil {
		return
	}
	ua.wire.Accept(req, tx)
	if code := sipfragCode(req.Body()); code > 0 {
		select {
		case l.referred <- code:
		default: // nobody transfers
		}
	}
}

// sipfragCode reads the status line of a message/sipfrag body, or 0.
func sipfragCode(body []byte) int {
	fields := bytes.Fields(body)
	if len(fields) < 2 || string(fields[0]) != "SIP/2.0" {
		return 0
	}
	code, err := strconv.Atoi(string(fields[1]))
	if err != nil || code < 100 || code > 699 {
		return 0
	}
	return code
}
