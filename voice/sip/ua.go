// Package sip is the phone connection of the platform: a SIP user agent whose calls are legs of sound of 8 or 16 kHz,
// keypad digits and captions. It knows the signalling of calls and registrations as carriers speak it: messages are those of
// voice/sip/wire, descriptions of media those of voice/sdp, and the media itself is a session of voice/rtp.
//
// It must not know who calls or why: no assistants, no accounts, no database, no speech. What a leg says and hears is
// decided by whoever holds it.
//
// SIP transactions are sipgo's; dialogs, offers and answers, and media are our own, because the life of a call has to
// survive what carriers do to it: answers that race a CANCEL, lost ACKs, hold, silence, and our own process dying.
package sip

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/rtp"
	"github.com/callwright/callwright/voice/sip/wire"
)

const (
	defaultFirst = 30 * time.Second
	defaultGap   = 15 * time.Second
)

const (
	hangupGrace     = 4 * time.Second // for the BYEs of a closing user agent
	drainRetryAfter = "10"            // seconds, told to those who call while we close
)

// Config is what a user agent needs to know about its place in the network. The context of Inbound ends when the caller
// gives up, when Close cuts the calls, and when Inbound returns.
type Config struct {
	Listen         string        // address and UDP port for SIP; port 0 picks a free one
	TCP            string        // address and port for SIP over TCP; empty: none is accepted
	TLS            TLSConfig     // for SIP over TLS
	PublicIP       netip.Addr    // put in Contact and SDP; zero: the listen address
	RTPPorts       [2]int        // first and last port for media, used in pairs; zero: any free ones
	Logger         *slog.Logger  // nil: discard
	FirstMedia     time.Duration // end a leg that never received RTP; zero: 30 s, negative: never
	MediaTimeout   time.Duration // end a leg whose RTP stopped; zero: 15 s, negative: never
	SessionExpires time.Duration // have outbound calls confirmed in this interval (RFC 4028); zero: 30 min, negative: not
	Clocks         media.Clocks  // that calls join, which stay open; nil: clocks of its own
	Transfers      bool          // far ends may have themselves replaced (REFER): see Leg.Referrals

	// Inbound takes a call, in one goroutine per INVITE. nil: 404 for all.
	Inbound func(ctx context.Context, in *Inbound)
	// Registrar decides on a REGISTER, without asking for credentials. nil: none is taken.
	Registrar func(account string) (code int, reason string)
	// Screen reports who may send requests beside registrars; what others send is dropped silently. nil: anyone may.
	Screen func(source netip.AddrPort) bool
	// Takes returns why a call that came in would be refused now: OPTIONS tells (RFC 3261 section 11.2). nil: it would be taken.
	Takes func() error
	// Count is called with each response that is received or sent, with code 0 for a request of ours that gets none. nil: nobody
	// counts.
	Count func(sent bool, method string, code int)
	// Answers reports whose requests are answered that are sent to the Contacts of calls and registrations by those whom Screen
	// drops: an answer goes wherever a request says that it comes from. nil: anybody's.
	Answers func(source netip.Addr) bool
}

// UA is a SIP user agent on one UDP socket and, where asked for, one that accepts TCP and one that accepts TLS.
type UA struct {
	cfg    Config
	log    *slog.Logger
	timers timers
	wire   *wire.Endpoint
	rtp    *rtp.Ports
	clocks media.Clocks // its own; nil: those of the configuration are used
	registry
	refused refusals

	closed chan struct{}   // closed when Close is through
	ctx    context.Context // ends when calls may no longer live
	cut    context.CancelFunc

	registering context.Context // ends when registrations have to be taken back
	unregister  context.CancelFunc
}

// timers are those of RFC 3261 and its kin that run in this package.
type timers struct {
	t1, t2  time.Duration
	report  time.Duration // between two RTCP reports
	session time.Duration // shortest session interval that a caller may ask for
}

func (t timers) timeout() time.Duration { return 64 * t.t1 }

// orDefault reads a timeout setting: zero means the default and a negative value means never, which is zero inside.
func orDefault(d, standard time.Duration) time.Duration {
	if d == 0 {
		return standard
	}
	return max(d, 0)
}

// Addr returns the address of the UDP socket.
func (ua *UA) Addr() netip.AddrPort { return ua.wire.Addr() }

// AddrOf returns the address at which connections of this transport are accepted; the zero value where none are.
func (ua *UA) AddrOf(transport Transport) netip.AddrPort { return ua.wire.AddrOf(transport) }

// allow lists the methods that we take.
func (ua *UA) allow() siplib.Header {
	methods := "INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO, NOTIFY"
	if ua.cfg.Transfers {
		methods += ", REFER"
	}
	return siplib.NewHeader("Allow", methods)
}
