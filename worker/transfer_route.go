package worker

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/nyaruka/phonenumbers"

	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/worker/gateways"
)

// route is the INVITE of a second leg: the way that calls from the call's number go, or to the host of a SIP URI.
func (t *transfers) route(ctx context.Context, target string) (*gateways.Gateway, sip.Dial, error) {
	gateway, err := t.phone.gateways.ForCall(t.call)
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
	if gateway.Simulated {
		dial.Proxy, dial.SIPS, dial.Captions, dial.SRTP = gateway.Trunk.Proxy, false, true, sip.SRTPOff
		return gateway, dial, nil
	}
	dial.Reach = gateway.CustomerReach()
	if dial.Proxy, err = t.phone.connections.Look(ctx, gateway, gateways.WithSIPPort(uri.Authority(), uri.Secure)); err != nil {
		return nil, sip.Dial{}, err
	}
	if err := gateway.CheckHost(dial.Proxy); errors.Is(err, gateways.ErrCarrier) {
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
func (t *transfers) routeNumber(ctx context.Context, gateway *gateways.Gateway, number string) (sip.Dial, error) {
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
