// Package sip is the telephone line of the platform: a SIP user agent whose calls are legs of 8 kHz sound, keypad
// digits and captions. It knows SIP, SDP and RTP as carriers speak them, and keeps each leg's packets flowing on a
// steady 20 ms clock.
//
// It must not know who calls or why: no assistants, no accounts, no database, no speech. What a leg says and hears is
// decided by whoever holds it.
//
// SIP transactions are sipgo's; dialogs, offers and answers, and media are our own, because the life of a call has to
// survive what carriers do to it: answers that race a CANCEL, lost ACKs, hold, silence, and our own process dying.
package sip

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/emiago/sipgo"
	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/rtp"
)

const (
	userAgent    = "callwright"
	defaultFirst = 30 * time.Second
	defaultGap   = 15 * time.Second
)

// Config is what a user agent needs to know about its place in the network. The context of Inbound ends when the caller
// gives up, when Close cuts the calls, and when Inbound returns.
type Config struct {
	Listen       string                                         // address and UDP port for SIP; port 0 picks a free one
	TCP          string                                         // address and port for SIP over TCP; empty: none is accepted
	TLS          TLSConfig                                      // for SIP over TLS
	PublicIP     netip.Addr                                     // put in Contact and SDP; zero: the listen address
	RTPPorts     [2]int                                         // first and last port for media, used in pairs; zero: any free ones
	Logger       *slog.Logger                                   // nil: discard
	Inbound      func(ctx context.Context, in *Inbound)         // one goroutine per INVITE; nil: 404 for all
	Registrar    func(account string) (code int, reason string) // decides on a REGISTER, without asking for credentials; nil: none is taken
	Transfers    bool                                           // far ends may have themselves replaced (REFER): see Leg.Referrals
	Screen       func(source netip.AddrPort) bool               // who may send requests beside registrars; nil: anyone; false: dropped silently
	FirstMedia   time.Duration                                  // end a leg that never received RTP; zero: 30 s, negative: never
	MediaTimeout time.Duration                                  // end a leg whose RTP stopped; zero: 15 s, negative: never

	SessionExpires time.Duration // have outbound calls confirmed in this interval (RFC 4028); zero: 30 min, negative: not
}

// UA is a SIP user agent on one UDP socket and, where asked for, one that accepts TCP and one that accepts TLS.
type UA struct {
	cfg    Config
	log    *slog.Logger
	timers timers
	rtp    *rtp.Ports
	clocks media.Clocks
	public netip.AddrPort // what others reach us at over UDP

	agent     *sipgo.UserAgent
	clients   map[Transport]*sipgo.Client
	socket    *socket
	listeners map[Transport]net.Listener // for TCP and TLS
	ports     map[Transport]uint16       // that others reach us at, where we listen
	serving   sync.WaitGroup             // ends when no socket is read any more
	closed    chan struct{}              // closed when Close is through

	ctx   context.Context // ends when calls may no longer live
	cut   context.CancelFunc
	calls sync.WaitGroup // rings, dials and legs; Add only through enter and register

	registering context.Context // ends when registrations have to be taken back
	unregister  context.CancelFunc
	registered  sync.WaitGroup

	gate    sync.RWMutex   // held for reading while something is sent or spawned
	stopped bool           // nothing may be sent or spawned any more
	tasks   sync.WaitGroup // goroutines that serve calls or tidy up behind them

	mu       sync.Mutex
	draining bool
	refusing bool // calls that come in are refused, others are not
	legs     map[legKey]*Leg
	early    map[legKey]early
	lapsed   map[legKey]lapsed   // INVITEs that nobody waits for any more
	peers    map[netip.Addr]int  // where live legs' requests come from, with how many
	tags     map[string]int      // that calls bear, ringing ones too
	bindings map[string]*binding // registrations, by their tokens
}

// legKey finds the leg a request belongs to. The tag is ours.
type legKey struct{ callID, tag string }

// timers are those of RFC 3261 and its kin that run in this package.
type timers struct {
	t1, t2  time.Duration
	report  time.Duration // between two RTCP reports
	session time.Duration // shortest session interval that a caller may ask for
}

func (t timers) timeout() time.Duration { return 64 * t.t1 }

// Listen binds the sockets and starts answering.
func Listen(cfg Config) (*UA, error) {
	return open(cfg, timers{t1: siplib.T1, t2: siplib.T2, report: rtp.ReportEvery, session: minSession})
}

func open(cfg Config, timers timers) (*UA, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.FirstMedia = orDefault(cfg.FirstMedia, defaultFirst)
	cfg.SessionExpires = orDefault(cfg.SessionExpires, defaultSession)
	cfg.MediaTimeout = orDefault(cfg.MediaTimeout, defaultGap)
	conn, err := bind(cfg.Listen)
	if err != nil {
		return nil, err
	}
	ua := &UA{
		cfg: cfg, log: cfg.Logger, timers: timers, clocks: media.NewClocks(cfg.Logger),
		socket: newSocket(conn, cfg.Logger), closed: make(chan struct{}), clients: map[Transport]*sipgo.Client{},
		listeners: map[Transport]net.Listener{}, ports: map[Transport]uint16{},
		legs: map[legKey]*Leg{}, early: map[legKey]early{}, lapsed: map[legKey]lapsed{}, peers: map[netip.Addr]int{}, tags: map[string]int{}, bindings: map[string]*binding{},
	}
	ua.registering, ua.unregister = context.WithCancel(context.Background())
	ua.ctx, ua.cut = context.WithCancel(context.Background())
	if err := ua.serve(); err != nil {
		ua.cut()
		ua.unregister()
		return nil, errors.Join(err, ua.closeListeners(), conn.Close())
	}
	return ua, nil
}

// orDefault reads a timeout setting: zero means the default and a negative value means never, which is zero inside.
func orDefault(d, standard time.Duration) time.Duration {
	if d == 0 {
		return standard
	}
	return max(d, 0)
}

// receiveBuffer holds the answers to a thousand calls that leave at once: what the kernel drops comes half a second
// later (RFC 3261, T1). The kernel gives what its own limit allows (on Linux net.core.rmem_max).
const receiveBuffer = 4 << 20

func bind(listen string) (*net.UDPConn, error) {
	addr, err := net.ResolveUDPAddr("udp", listen)
	if err != nil {
		return nil, fmt.Errorf("resolve sip address: %w", err)
	}
	ip := addr.AddrPort().Addr().Unmap()
	if !ip.IsValid() {
		ip = netip.IPv4Unspecified()
	}
	local := net.UDPAddrFromAddrPort(netip.AddrPortFrom(ip, uint16(addr.Port)))
	conn, err := net.ListenUDP(rtp.UDPNetwork(ip), local)
	if err != nil {
		return nil, fmt.Errorf("bind sip socket: %w", err)
	}
	if err := conn.SetReadBuffer(receiveBuffer); err != nil {
		return nil, errors.Join(fmt.Errorf("size sip socket: %w", err), conn.Close())
	}
	return conn, nil
}

// serve builds sipgo's layers on the socket and waits until it is being read.
func (ua *UA) serve() error {
	local := ua.Addr()
	ua.public = local
	if ua.cfg.PublicIP.IsValid() {
		ua.public = netip.AddrPortFrom(ua.cfg.PublicIP, local.Port())
	}
	if ua.public.Addr().IsUnspecified() {
		return fmt.Errorf("listen on %s: without a public IP nobody could call back", local)
	}
	ua.rtp = rtp.NewPorts(rtp.Config{
		IP: local.Addr(), First: ua.cfg.RTPPorts[0], Last: ua.cfg.RTPPorts[1], Clocks: ua.clocks, ReportEvery: ua.timers.report,
	})
	ua.ports[UDP] = ua.public.Port()
	secure, err := ua.cfg.TLS.load()
	if err != nil {
		return err
	}
	if err := ua.listenStreams(secure); err != nil {
		return err
	}
	setUpLibrary()
	quiet := quietLogger(ua.log)
	agent, err := sipgo.NewUA(
		sipgo.WithUserAgent(userAgent), sipgo.WithUserAgenTLSConfig(secure),
		sipgo.WithUserAgentTransactionLayerOptions(
			siplib.WithTransactionLayerLogger(quiet), siplib.WithTransactionLayerTerminateOnConnClose(),
			siplib.WithTransactionLayerUnhandledResponseHandler(ua.strayResponse)),
		sipgo.WithUserAgentTransportLayerOptions(
			siplib.WithTransportLayerLogger(quiet), siplib.WithTransportLayerReadFilter(ua.screen)),
	)
	if err != nil {
		return fmt.Errorf("build sip layers: %w", err)
	}
	server, err := sipgo.NewServer(agent, sipgo.WithServerLogger(quiet))
	if err != nil {
		return fmt.Errorf("build sip server: %w", err)
	}
	ua.agent = agent
	if err := ua.newClients(quiet); err != nil {
		return err
	}
	ua.route(server)
	ua.serving.Go(func() {
		if err := server.ServeUDP(ua.socket); err != nil {
			ua.log.Error("sip socket failed", "transport", UDP, "error", err)
		}
	})
	ua.serveStreams(server)
	<-ua.socket.reading
	return nil
}

// Addr is the address of the UDP socket.
func (ua *UA) Addr() netip.AddrPort {
	return addrPort(ua.socket.LocalAddr())
}
