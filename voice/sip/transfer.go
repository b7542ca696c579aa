package sip

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sip/wire"
)

// newsBehind is how much later the news of a transfer may be read than a BYE that was sent right after it.
const newsBehind = 300 * time.Millisecond

// Transfer asks the far end to call target, a number or a SIP URI, in our place (REFER), and waits until it tells
// whether that worked. A *Refused tells that it did not. The leg may live on either way; some carriers end it themselves.
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
		err = wire.RefusedBy(done.Res)
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
			return &Refused{Code: code, Reason: "transfer failed"}
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

// referTarget makes a SIP URI of a number, in the domain of the far end.
func (l *Leg) referTarget(target string) (string, error) {
	if strings.ContainsFunc(target, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '<' || c == '>' }) || target == "" {
		return "", fmt.Errorf("%q is no number", target)
	}
	if scheme, _, ok := strings.Cut(target, ":"); ok && (scheme == "sip" || scheme == "sips" || scheme == "tel") {
		return target, nil
	}
	var remote siplib.Uri
	if err := siplib.ParseUri(l.Dialog().RemoteURI, &remote); err != nil {
		return "", fmt.Errorf("read dialog uri: %w", err)
	}
	uri := siplib.Uri{Scheme: "sip", User: target, Host: remote.Host, Port: remote.Port}
	return uri.String(), nil
}
