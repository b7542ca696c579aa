package sip

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sip/wire"
)

// Dial describes an outbound call.
type Dial struct {
	Proxy              string            // host:port to send to; without a port the one that is usual for the transport
	Transport          Transport         // empty: UDP
	SIPS               bool              // call a sips URI, which asks for TLS on every hop; it implies TLS on the first
	Domain             string            // host part of the To and From URIs; empty: the host of Proxy
	From, To           string            // user parts (E.164)
	FromName           string            // display name
	Username, Password string            // answer to digest challenges
	CallID             string            // empty: random; set by callers that store it before the INVITE leaves
	Headers            map[string]string // more headers for the INVITE
	Captions           bool              // offer audio/t140c (RFC 4351) beside G.711
	SRTP               SRTP              // encryption of the media
	NotBefore          time.Time         // all is made ready, but the INVITE does not leave before; zero: at once

	Progress func(code int, reason string) // called for each provisional answer
	Sent     func()                        // called when the INVITE was handed to the network
}

// Dial places a call and returns when it is answered. A refusal is a *Refused. When ctx ends first, Dial returns its
// error at once; the INVITE is cancelled behind it, and an answer that crosses the CANCEL is hung up.
func (ua *UA) Dial(ctx context.Context, d Dial) (*Leg, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	if !ua.enter() {
		return nil, fmt.Errorf("dial: %w", media.ErrClosed)
	}
	call, err := ua.newOutgoing(d)
	if err != nil {
		ua.calls.Done()
		return nil, fmt.Errorf("dial: %w", err)
	}
	if !ua.wire.Spawn(call.run) {
		call.quit()
		ua.calls.Done()
		return nil, fmt.Errorf("dial: %w", errors.Join(media.ErrClosed, call.media.Close()))
	}
	select {
	case answer := <-call.answered:
		if answer.err != nil {
			return nil, fmt.Errorf("dial: %w", answer.err)
		}
		return answer.leg, nil
	case <-ctx.Done():
		call.quit()
		return nil, fmt.Errorf("dial: %w", ctx.Err())
	}
}

// check keeps what others wrote from becoming headers of its own.
func (d *Dial) check() error {
	fields := []string{d.Proxy, d.Domain, d.From, d.To, d.FromName, d.Username, d.CallID}
	for name, value := range d.Headers {
		fields = append(fields, name, value)
	}
	for _, field := range fields {
		if strings.ContainsFunc(field, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			return errors.New("a field holds control characters")
		}
	}
	for _, user := range []string{d.From, d.To} {
		if strings.ContainsAny(user, " <>@\";") {
			return errors.New("a number holds characters that no number has")
		}
	}
	if d.Proxy == "" || d.To == "" {
		return errors.New("proxy and number are required")
	}
	if d.SIPS && d.Transport != "" && d.Transport != TLS {
		return fmt.Errorf("sips does not go over %s", d.Transport)
	}
	return errors.Join(d.Transport.Check(), d.SRTP.check())
}

// complete fills in what the caller left open.
func (d *Dial) complete() {
	if d.CallID == "" {
		d.CallID = uuid.NewString()
	}
	if d.SIPS {
		d.Transport = TLS
	}
	d.Transport = d.Transport.OrUDP()
	if d.Domain == "" {
		d.Domain = wire.HostOf(d.Proxy)
	}
	d.Proxy = wire.WithPort(d.Proxy, d.Transport)
}

func (d *Dial) scheme() string {
	if d.SIPS {
		return "sips"
	}
	return "sip"
}
