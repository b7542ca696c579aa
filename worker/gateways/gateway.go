// Package gateways is how calls leave a worker and come in: over the carrier's trunk, over customers' SIP connections, to the
// simulated phone network and from browsers. It keeps SIP connections registered and knows which addresses may be called. What a
// call is, it does not know: who takes those that come in is told it.
package gateways

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/metrics"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/simnet"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/voice/webrtc"
)

// Config is what the gateways of a process need.
type Config struct {
	SIP       *SIP       // our side of live calls; nil: there are none
	Trunk     *Trunk     // where live calls leave; nil: they fail with a clear reason
	Simulated *Simulated // the simulated phone network; nil: calls of test keys fail
	Web       *Web       // where browsers reach this process; nil: it takes no web calls

	RegistrationsPerSecond int // REGISTERs of customers' SIP connections that leave this process; 0: 50
}

// SIP is our side of every live call.
type SIP struct {
	Listen   string        // address and UDP port; port 0 picks one
	TCP      string        // address and port for SIP over TCP; empty: none is accepted
	TLS      sip.TLSConfig // for SIP over TLS
	PublicIP netip.Addr    // at which others reach this machine; zero: found out
	RTPPorts [2]int
	Peers    []netip.Prefix // from which calls are taken, besides the trunk's proxy
	Media    []netip.Prefix // that the sound of the carrier's calls comes from and goes to; empty: wherever its signalling says
}

// Trunk is the carrier's SIP connection over which live calls leave.
type Trunk struct {
	Proxy     string        // host:port of the carrier
	Transport sip.Transport // to the proxy
	SRTP      sip.SRTP
	Domain    string // empty: the proxy's host
	Username  string
	Password  string
	Transfer  string // how callers leave: turn.ViaAuto, turn.ViaRefer or turn.ViaBridge; empty: turn.ViaAuto
}

// Simulated is the simulated phone network, which stands on loopback beside every worker: calls of test keys never
// leave it.
type Simulated struct {
	TTS     tts.Provider   // the voice of its far ends
	Scripts simnet.Scripts // in place of the built-in ones, per number
}

// Gateway is a way out and in.
type Gateway struct {
	UA        *sip.UA
	Trunk     *Trunk // nil: only SIP connections of customers go over this gateway
	peers     *sip.Peers
	media     []netip.Prefix // of the carrier
	guard     *hook.Guard    // of what customers name
	Simulated bool
}

// Set is the ways out of a process: the carrier's and the simulated network's, each with a user agent of its own,
// so that simulated traffic stays on loopback whatever address the carrier needs.
type Set struct {
	Live      *Gateway // nil: none
	Simulated *Gateway // likewise
	network   *simnet.Network
	Web       *webrtc.Server // nil: no web calls
	Clocks    media.Clocks   // of all calls of this process, whatever carries them
	close     []func(context.Context) error

	guard                  *hook.Guard // of what customers name
	registrationsPerSecond int
	logger                 *slog.Logger
}

// Receiver takes the calls that come in on a gateway.
type Receiver interface {
	Receive(ctx context.Context, on *Gateway, in *sip.Inbound)
	Takes() error // returns nil if it would take a call now
}

// Open opens the gateways of a process. guard says which addresses customers may name.
func Open(ctx context.Context, cfg Config, guard *hook.Guard, calls Receiver, logger *slog.Logger) (*Set, error) {
	opened := &Set{
		Clocks: media.NewClocks(logger), guard: guard, registrationsPerSecond: cfg.RegistrationsPerSecond, logger: logger,
	}
	opened.close = append(opened.close, func(context.Context) error { opened.Clocks.Close(); return nil })
	if cfg.SIP != nil {
		if err := opened.openLive(ctx, cfg, guard, calls, logger); err != nil {
			return nil, errors.Join(err, opened.Close(ctx))
		}
	}
	if cfg.Web != nil {
		if err := opened.openWeb(cfg.Web, logger); err != nil {
			return nil, errors.Join(err, opened.Close(ctx))
		}
	}
	if cfg.Simulated != nil {
		if err := opened.openSimulated(ctx, cfg.Simulated, calls, logger); err != nil {
			return nil, errors.Join(err, opened.Close(ctx))
		}
	}
	return opened, nil
}

func (l *Set) openLive(ctx context.Context, cfg Config, guard *hook.Guard, calls Receiver, logger *slog.Logger) error {
	own := &Gateway{Trunk: cfg.Trunk, peers: &sip.Peers{}, media: cfg.SIP.Media, guard: guard}
	own.peers.Allow(cfg.SIP.Peers...)
	listen, err := Reachable(ctx, cfg.SIP, cfg.Trunk)
	if err != nil {
		return fmt.Errorf("open SIP gateway: %w", err)
	}
	own.UA, err = sip.Listen(sip.Config{
		Listen: listen, TCP: cfg.SIP.TCP, TLS: cfg.SIP.TLS, PublicIP: cfg.SIP.PublicIP, RTPPorts: cfg.SIP.RTPPorts,
		Logger: logger, Clocks: l.Clocks, Screen: own.peers.Admits, Answers: guard.Allows, Takes: calls.Takes, Count: countSIP(false),
		Inbound: func(ctx context.Context, in *sip.Inbound) { calls.Receive(ctx, own, in) },
	})
	if err != nil {
		return fmt.Errorf("open SIP gateway: %w", err)
	}
	l.Live = own
	l.close = append(l.close, own.UA.Close)
	if cfg.Trunk != nil {
		l.close = append(l.close, own.follow(ctx, cfg.Trunk.Proxy, logger))
	}
	logger.InfoContext(ctx, "SIP gateway is open", "address", own.UA.Addr())
	return nil
}

// Reachable returns the address to listen on. Where nothing says at which address others reach us, it is the one from which
// this machine reaches them; what stands between us and a registrar is learned from its responses.
func Reachable(ctx context.Context, own *SIP, trunk *Trunk) (string, error) {
	host, port, err := net.SplitHostPort(own.Listen)
	if err != nil {
		return "", fmt.Errorf("listen on %q: %w", own.Listen, err)
	}
	if host != "" && host != "0.0.0.0" && host != "::" || own.PublicIP.IsValid() {
		return own.Listen, nil
	}
	towards := "192.0.2.1:5060" // nobody's: only the way there is looked up, and nothing is sent
	if trunk != nil {
		towards = trunk.Proxy
		if _, _, err := net.SplitHostPort(towards); err != nil {
			towards = net.JoinHostPort(towards, "5060")
		}
	}
	conn, err := new(net.Dialer).DialContext(ctx, "udp", towards)
	if err != nil {
		return "", fmt.Errorf("find our address towards %s (or set --public-ip): %w", towards, err)
	}
	from := conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()
	return net.JoinHostPort(from.String(), port), conn.Close()
}

const lookUpEvery = time.Minute

// follow takes calls from the addresses of a host, which are looked up again and again. It returns what stops that.
func (l *Gateway) follow(ctx context.Context, host string, logger *slog.Logger) (stop func(context.Context) error) {
	look := func() {
		if err := l.peers.AllowHosts(ctx, net.DefaultResolver, host); err != nil {
			logger.WarnContext(ctx, "carrier's addresses not looked up: calls from new ones are not taken", "error", err)
		}
	}
	look()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for pause(ctx, lookUpEvery); ctx.Err() == nil; pause(ctx, lookUpEvery) {
			look()
		}
	}()
	return func(context.Context) error {
		cancel()
		<-done
		return nil
	}
}

func (l *Set) openSimulated(ctx context.Context, cfg *Simulated, calls Receiver, logger *slog.Logger) error {
	local := net.JoinHostPort(Loopback(), "0")
	// It ends by Close: calls that drain after ctx ended still need their far ends.
	network, err := simnet.Start(context.WithoutCancel(ctx),
		simnet.Config{Listen: local, TTS: cfg.TTS, Scripts: cfg.Scripts, Logger: logger})
	if err != nil {
		return fmt.Errorf("start simulated phone network: %w", err)
	}
	l.network = network
	l.close = append(l.close, network.Close)
	// The simulated network sends the words of its far ends beside their sound, which the caption recogniser reads.
	own := &Gateway{Trunk: &Trunk{Proxy: network.Addr().String()}, Simulated: true}
	own.UA, err = sip.Listen(sip.Config{
		Listen: local, Logger: logger, Clocks: l.Clocks, Takes: calls.Takes, Count: countSIP(true),
		Inbound: func(ctx context.Context, in *sip.Inbound) { calls.Receive(ctx, own, in) },
	})
	if err != nil {
		return fmt.Errorf("open SIP gateway to the simulated network: %w", err)
	}
	l.Simulated = own
	l.close = append(l.close, own.UA.Close)
	logger.InfoContext(ctx, "simulated SIP gateway is open", "address", own.UA.Addr())
	return nil
}

// Refuse has all calls refused that come in; OPTIONS gets the same response.
func (l *Set) Refuse() {
	for _, gateway := range []*Gateway{l.Live, l.Simulated} {
		if gateway != nil {
			gateway.UA.Refuse()
		}
	}
}

// Close closes what was opened, the last first.
func (l *Set) Close(ctx context.Context) error {
	var errs []error
	for _, end := range slices.Backward(l.close) {
		errs = append(errs, end(ctx))
	}
	return errors.Join(errs...)
}

func (l *Set) ForCall(call *dbsqlc.Call) (*Gateway, error) {
	if call.Simulated {
		if l.Simulated == nil {
			return nil, errors.New("this worker has no simulated phone network, which calls of test keys need")
		}
		return l.Simulated, nil
	}
	if l.Live == nil {
		return nil, errNoTrunk
	}
	return l.Live, nil
}

var errNoTrunk = errors.New("no SIP trunk is configured (--trunk-proxy), so live calls have no way out")

// Dial is the INVITE of a call. Its Call-ID was stored before, so that whoever picks up after us can name the dialog.
func (l *Gateway) Dial(call *dbsqlc.Call) (sip.Dial, error) {
	if l.Trunk == nil {
		return sip.Dial{}, errNoTrunk
	}
	return sip.Dial{
		Proxy: l.Trunk.Proxy, Transport: l.Trunk.Transport, SRTP: l.Trunk.SRTP, Domain: l.Trunk.Domain, Reach: l.carrierReach(),
		Username: l.Trunk.Username, Password: l.Trunk.Password,
		From: call.PhoneNumber, To: call.ContactPhoneNumber, CallID: *call.SIPCallID, Captions: l.Simulated,
	}, nil
}

// countSIP returns what counts the responses of a gateway.
func countSIP(simulated bool) func(sent bool, method string, code int) {
	network := metrics.Network(simulated)
	return func(sent bool, method string, code int) { metrics.SIPResponse(network, sent, method, code) }
}
