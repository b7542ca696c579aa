package sip

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/voice/sdp"
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
	Wideband           bool              // offer G.722 before G.711
	SRTP               SRTP              // encryption of the media
	Reach              Reach             // where packets may go beside Proxy
	NotBefore          time.Time         // all is made ready, but the INVITE does not leave before; zero: at once

	// Permit is asked directly before the INVITE leaves, before each repetition, and before a REFER of the leg: an error keeps
	// it from leaving. nil permits all.
	Permit func() error

	Progress func(code int, reason string) // called for each provisional answer
	Sent     func()                        // called when the INVITE was handed to the network
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

// SRTP says whether the media of a call is to be encrypted, with keys agreed on in SDP (RFC 4568). Those are as secret
// as the SIP that carries them, so encryption belongs with TLS.
type SRTP string

// What a Dial can ask for. Calls that come in are encrypted where the caller offers it.
const (
	SRTPOff      SRTP = ""
	SRTPOptional SRTP = "optional" // preferred: offered, and left out where the far end does not want it
	SRTPRequired SRTP = "required" // a far end that does not encrypt is not talked to
)

func (s SRTP) check() error {
	switch s {
	case SRTPOff, SRTPOptional, SRTPRequired:
		return nil
	}
	return fmt.Errorf("%q is no encryption setting", string(s))
}

// proposals returns what is offered in one INVITE after the other.
func (s SRTP) proposals() []SRTP {
	if s == SRTPOptional {
		return []SRTP{SRTPOptional, SRTPRequired, SRTPOff}
	}
	return []SRTP{s}
}

// wishes returns what a first offer asks for.
func (s SRTP) wishes(captions, wideband bool) sdp.Wishes {
	return sdp.Wishes{Captions: captions, Wideband: wideband, Encrypt: s != SRTPOff, Require: s == SRTPRequired}
}
