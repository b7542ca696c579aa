package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/worker/gateways"
)

// trunkLimit is how long a carrier may take to answer: one that is there takes less than a second.
const trunkLimit = 8 * time.Second

// Trunk returns the checks of the carrier's SIP connection and of the address that far ends see. They are asked from a port of
// their own, so a worker beside keeps its.
func Trunk(own *gateways.SIP, trunk *gateways.Trunk) []Check {
	t := &trunkCheck{own: own, trunk: trunk}
	t.options, t.bindings = once(t.asks((*sip.UA).Options)), once(t.asks((*sip.UA).Bindings))
	checks := []Check{{"address", t.checkAddress}}
	if trunk == nil {
		return checks
	}
	checks = append(checks, Check{"trunk", t.checkOptions}, Check{"srtp", t.checkSRTP})
	if trunk.Username != "" {
		checks = append(checks, Check{"trunk login", t.checkLogin})
	}
	return checks
}

type trunkCheck struct {
	own   *gateways.SIP
	trunk *gateways.Trunk
	options,
	bindings func(context.Context) (sip.Answer, error)
}

// unasked is the error of a question that this side could not send.
type unasked struct{ error }

// asks returns a function that asks the carrier from a user agent that takes nothing.
func (t *trunkCheck) asks(ask func(*sip.UA, context.Context, sip.Question) (sip.Answer,
	error)) func(context.Context) (sip.Answer, error) {
	return func(ctx context.Context) (answer sip.Answer, err error) {
		limited, cancel := context.WithTimeout(ctx, trunkLimit)
		defer cancel()
		host, err := t.host(limited)
		if err != nil {
			return answer, unasked{err}
		}
		files := t.own.TLS
		files.Listen = ""
		ua, err := sip.Listen(sip.Config{
			Listen: net.JoinHostPort(host, "0"), PublicIP: t.own.PublicIP, TLS: files,
			Screen: func(netip.AddrPort) bool { return false },
		})
		if err != nil {
			return answer, unasked{err}
		}
		defer func() { err = errors.Join(err, ua.Close(context.WithoutCancel(ctx))) }()
		return ask(ua, limited, sip.Question{
			Proxy: t.trunk.Proxy, Transport: t.trunk.Transport, Domain: t.trunk.Domain, Username: t.trunk.Username,
			Password: t.trunk.Password,
		})
	}
}

// host is the address of this machine that packets leave from.
func (t *trunkCheck) host(ctx context.Context) (string, error) {
	listen, err := gateways.Reachable(ctx, t.own, t.trunk)
	if err != nil {
		return "", err
	}
	host, _, err := net.SplitHostPort(listen)
	return host, err
}

func (t *trunkCheck) checkOptions(ctx context.Context) Finding {
	answer, err := t.options(ctx)
	where := fmt.Sprintf("%s over %s", t.trunk.Proxy, t.trunk.Transport)
	if err != nil && t.trunk.Username != "" {
		if _, silent := t.bindings(ctx); silent == nil {
			return warn("nothing, if calls go through: some carriers do not answer OPTIONS", "%s answers REGISTER, and not OPTIONS", where)
		}
	}
	switch {
	case err != nil:
		return t.unanswered("OPTIONS", err)
	case answer.Code == 403 || answer.Code == 503:
		return warn("ask the carrier: it may not know this address", "%s answers OPTIONS with %d %s", where, answer.Code, answer.Reason)
	}
	return ok("%s answers in %s (%d %s)", where, millis(answer.Took), answer.Code, answer.Reason)
}

// unanswered is the finding of a question that has no answer, by whose fault it is.
func (t *trunkCheck) unanswered(method string, err error) Finding {
	where := fmt.Sprintf("%s over %s", t.trunk.Proxy, t.trunk.Transport)
	_, unnamed := errors.AsType[*net.DNSError](err)
	_, own := errors.AsType[unasked](err)
	switch {
	case unnamed:
		return fail("correct CALLWRIGHT_TRUNK_PROXY, or look at /etc/resolv.conf", "%v", err)
	case own:
		return fail("correct CALLWRIGHT_SIP_LISTEN and the certificate, as said of sip port and sip certificate", "%s is not asked: %v",
			where, err)
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("none in %s", trunkLimit)
	}
	return fail("correct CALLWRIGHT_TRUNK_PROXY and CALLWRIGHT_TRUNK_TRANSPORT; the firewall lets SIP out and its answers in, and the carrier knows this address",
		"no answer to %s from %s: %v", method, where, err)
}

// checkLogin asks where our account is registered: the answer to the challenge proves the password, and nothing is registered.
func (t *trunkCheck) checkLogin(ctx context.Context) Finding {
	answer, err := t.bindings(ctx)
	switch {
	case err != nil:
		return t.unanswered("REGISTER", err)
	case answer.Code == 200:
		return ok("%s may log in", t.trunk.Username)
	case answer.Code == 401 || answer.Code == 403 || answer.Code == 407:
		return fail("correct CALLWRIGHT_TRUNK_USERNAME and CALLWRIGHT_TRUNK_PASSWORD", "REGISTER of %s is refused with %d %s",
			t.trunk.Username, answer.Code, answer.Reason)
	}
	return ok("not known: the carrier takes no REGISTER (%d %s)", answer.Code, answer.Reason)
}

func (t *trunkCheck) checkSRTP(context.Context) Finding {
	encrypted, signalling := t.trunk.SRTP != sip.SRTPOff, t.trunk.Transport == sip.TLS
	switch {
	case t.trunk.SRTP == sip.SRTPRequired && !signalling:
		return warn("set CALLWRIGHT_TRUNK_TRANSPORT=tls", "the keys of the sound travel in the clear over %s", t.trunk.Transport)
	case !encrypted && signalling:
		return warn("set CALLWRIGHT_TRUNK_SRTP=required", "signalling is encrypted, and the sound is not")
	case !encrypted:
		return ok("off: the sound of calls travels in the clear")
	}
	return ok("%s over %s", t.trunk.SRTP, t.trunk.Transport)
}

// checkAddress compares what far ends are told with what the carrier sees.
func (t *trunkCheck) checkAddress(ctx context.Context) Finding {
	const remedy = "set CALLWRIGHT_PUBLIC_IP to the address at which others reach this machine"
	host, err := t.host(ctx)
	if _, unnamed := errors.AsType[*net.DNSError](err); unnamed {
		return fail("correct CALLWRIGHT_TRUNK_PROXY, or look at /etc/resolv.conf", "%v", err)
	}
	if err != nil {
		return fail(remedy, "%v", err)
	}
	told := t.own.PublicIP
	if !told.IsValid() {
		if told, err = netip.ParseAddr(host); err != nil {
			return fail(remedy, "CALLWRIGHT_SIP_LISTEN: %v", err)
		}
	}
	seen := t.seen(ctx)
	switch {
	case seen.IsValid() && seen != told:
		return fail(fmt.Sprintf("set CALLWRIGHT_PUBLIC_IP=%s, and have the firewall pass SIP and RTP ports to this machine", seen),
			"far ends are told %s, and the carrier sees %s: nobody would be heard", told, seen)
	case seen.IsValid():
		return ok("far ends are told %s, which is what the carrier sees", told)
	case told.IsPrivate() || told.IsLoopback():
		return warn(remedy+", unless the carrier is in this network", "far ends are told %s, which cannot be reached from the Internet",
			told)
	}
	return ok("far ends are told %s", told)
}

// seen is the address at which the carrier sees this machine; invalid: it does not say.
func (t *trunkCheck) seen(ctx context.Context) netip.Addr {
	if t.trunk == nil {
		return netip.Addr{}
	}
	answer, err := t.options(ctx)
	if err != nil && t.trunk.Username != "" {
		answer, err = t.bindings(ctx)
	}
	if err != nil {
		return netip.Addr{}
	}
	return answer.Seen.Addr()
}
