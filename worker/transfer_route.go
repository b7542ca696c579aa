package worker

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/google/uuid"
	"github.com/nyaruka/phonenumbers"

	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/voice/sip"
)

// route is the INVITE of a second leg: the way that calls from the call's number go, or to the host of a SIP URI.
func (t *transfers) route(ctx context.Context, target string) (*gateway, sip.Dial, error) {
	gateway, err := t.phone.gateways.forCall(t.call)
	if err != nil {
		return nil, sip.Dial{}, err
	}
	if !jsonb.IsSIPURI(target) {
		dial, err := t.routeNumber(ctx, gateway, target)
		return gateway, dial, err
	}
	uri, err := jsonb.ReadSIPURI(target)
	if err != nil {
		return nil, sip.Dial{}, err
	}
	dial := sip.Dial{From: t.call.PhoneNumber, CallID: uuid.NewString(), SRTP: sip.SRTPOptional}
	if err := dial.Address(uri.String()); err != nil {
		return nil, sip.Dial{}, err
	}
	if gateway.simulated {
		dial.Proxy, dial.SIPS, dial.Captions, dial.SRTP = gateway.trunk.Proxy, false, true, sip.SRTPOff
		return gateway, dial, nil
	}
	dial.Reach = gateway.customerReach()
	if dial.Proxy, err = t.phone.connections.look(ctx, gateway, withSIPPort(uri.Authority(), uri.Secure)); err != nil {
		return nil, sip.Dial{}, err
	}
	if err := gateway.checkHost(dial.Proxy); errors.Is(err, errCarrier) {
		if number, is := numberOf(&uri); is {
			dial, err = t.routeNumber(ctx, gateway, number)
			return gateway, dial, err
		}
		return nil, sip.Dial{}, err
	} else if err != nil {
		return nil, sip.Dial{}, err
	}
	return gateway, dial, nil
}

// routeNumber is the INVITE to a number, which leaves as a call to it would.
func (t *transfers) routeNumber(ctx context.Context, gateway *gateway, number string) (sip.Dial, error) {
	to := *t.call
	to.ContactPhoneNumber, to.SIPCallID = number, new(uuid.NewString())
	return t.phone.route(ctx, gateway, &to)
}

// numberOf returns the number of a URI whose user is one in E.164, as the rules on destinations read it.
func numberOf(uri *jsonb.SIPURI) (string, bool) {
	number, err := phonenumbers.Parse(uri.User, "")
	if err != nil || !strings.HasPrefix(uri.User, "+") || number.GetExtension() != "" {
		return "", false
	}
	return phonenumbers.Format(number, phonenumbers.E164), true
}

// ambiguous reports whether a target is a SIP URI whose user a carrier may dial, and is not a number in E.164.
func ambiguous(target string) bool {
	uri, err := jsonb.ReadSIPURI(target)
	if err != nil || !uri.IsDialString() {
		return false
	}
	_, certain := numberOf(&uri)
	return !certain
}

// withSIPPort returns a host with a port: the usual one where none is named.
func withSIPPort(host string, secure bool) string {
	if strings.Contains(host, ":") && !strings.HasSuffix(host, "]") {
		return host
	}
	port := "5060"
	if secure {
		port = "5061"
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), port)
}
