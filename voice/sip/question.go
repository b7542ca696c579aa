package sip

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/sip/wire"
)

// Question is asked of a server outside of any call. It changes nothing there.
type Question struct {
	Proxy              string    // host:port; without a port the one usual for the transport
	Transport          Transport // empty: UDP
	Domain             string    // empty: the host of Proxy
	Username, Password string    // of an account there; empty: none, and a challenge is the answer
}

// Answer is what a server says to a Question, whether it is a refusal or not.
type Answer struct {
	Code   int
	Reason string
	Seen   netip.AddrPort // where the server sees us (RFC 3581); zero: it does not say
	Took   time.Duration
}

// Options asks a server whether it is there (RFC 3261 section 11). The error says that no answer came.
func (ua *UA) Options(ctx context.Context, q Question) (Answer, error) {
	return ua.ask(ctx, q, siplib.OPTIONS)
}

// Bindings asks a registrar where an account is registered, which proves the password and registers nothing (RFC 3261 section
// 10.2.3). The error says that no answer came.
func (ua *UA) Bindings(ctx context.Context, q Question) (Answer, error) {
	return ua.ask(ctx, q, siplib.REGISTER)
}

func (ua *UA) ask(ctx context.Context, q Question, method siplib.RequestMethod) (Answer, error) {
	r := Registration{Registrar: q.Proxy, Transport: q.Transport, Domain: q.Domain, Username: q.Username, Password: q.Password}
	if r.Username == "" {
		r.Username = wire.UserAgent
	}
	if err := r.complete(); err != nil {
		return Answer{}, fmt.Errorf("ask %s: %w", q.Proxy, err)
	}
	b := newBinding(ua, r)
	account := wire.Credentials{Username: q.Username, Password: q.Password}
	began := time.Now()
	done, err := ua.wire.Exchange(ctx, b.probes, account, method, nil, func(req *siplib.Request) {
		if method == siplib.OPTIONS {
			req.AppendHeader(b.contactAt(b.address()))
		}
		req.AppendHeader(siplib.NewHeader("User-Agent", wire.UserAgent))
	})
	if err != nil {
		return Answer{}, fmt.Errorf("ask %s: %w", r.Registrar, err)
	}
	return Answer{Code: done.Res.StatusCode, Reason: done.Res.Reason, Seen: seenAt(done.Res.Via()), Took: time.Since(began)}, nil
}
