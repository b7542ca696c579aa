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
)

const (
	userAgent       = "callwright"
	defaultFirst    = 30 * time.Second
	defaultGap      = 15 * time.Second
	hangupGrace     = 4 * time.Second // for the BYEs of a closing user agent
	drainRetryAfter = "10"            // seconds, told to those who call while we close
)

// ErrClosed is returned for calls on a user agent that is closing, and ends the legs it still had to cut.
var ErrClosed = errors.New("the telephone line is closed")

// Config is what a user agent needs to know about its place in the network.
type Config struct {
	Listen       string                                 // address and UDP port for SIP; port 0 picks a free one
	PublicIP     netip.Addr                             // put in Contact and SDP; zero: the listen address
	RTPPorts     [2]int                                 // first and last port for media; zero: any free even port
	Logger       *slog.Logger                           // nil: discard
	Inbound      func(ctx context.Context, in *Inbound) // one goroutine per INVITE; nil: 404 for all
	Screen       func(source netip.AddrPort) bool       // who may send requests; nil: anyone; false: dropped silently
	FirstMedia   time.Duration                          // end a leg that never received RTP; zero: 30 s, negative: never
	MediaTimeout time.Duration                          // end a leg whose RTP stopped; zero: 15 s, negative: never
}

// UA is a SIP user agent on one UDP socket.
type UA struct {
	cfg    Config
	log    *slog.Logger
	timers timers
	ports  rtpPorts
	public netip.AddrPort // what others reach us at

	agent  *sipgo.UserAgent
	client *sipgo.Client
	socket *socket
	served chan struct{} // closed when the socket is no longer read

	ctx   context.Context // ends when calls may no longer live
	cut   context.CancelFunc
	calls sync.WaitGroup // rings, dials and legs; Add only through enter and register

	gate    sync.RWMutex   // held for reading while something is sent or spawned
	stopped bool           // nothing may be sent or spawned any more
	tasks   sync.WaitGroup // goroutines that serve calls or tidy up behind them

	mu       sync.Mutex
	draining bool
	legs     map[legKey]*Leg
	peers    map[netip.AddrPort]int // where live legs' requests come from, with how many
}

// legKey finds the leg a request belongs to. The tag is ours.
type legKey struct{ callID, tag string }

// timers are those of RFC 3261 that run in this package.
type timers struct {
	t1, t2 time.Duration
}

func (t timers) timeout() time.Duration { return 64 * t.t1 }

// Listen binds the socket and starts answering.
func Listen(cfg Config) (*UA, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.FirstMedia = orDefault(cfg.FirstMedia, defaultFirst)
	cfg.MediaTimeout = orDefault(cfg.MediaTimeout, defaultGap)
	conn, err := bind(cfg.Listen)
	if err != nil {
		return nil, err
	}
	ua := &UA{
		cfg: cfg, log: cfg.Logger, timers: timers{t1: siplib.T1, t2: siplib.T2},
		socket: newSocket(conn), served: make(chan struct{}),
		legs: map[legKey]*Leg{}, peers: map[netip.AddrPort]int{},
	}
	ua.ctx, ua.cut = context.WithCancel(context.Background())
	if err := ua.serve(); err != nil {
		ua.cut()
		return nil, errors.Join(err, conn.Close())
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
	conn, err := net.ListenUDP(udpNetwork(ip), local)
	if err != nil {
		return nil, fmt.Errorf("bind sip socket: %w", err)
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
	ua.ports = rtpPorts{local.Addr(), ua.cfg.RTPPorts[0], ua.cfg.RTPPorts[1]}
	raiseMessageLimit()
	quiet := quietLogger(ua.log)
	agent, err := sipgo.NewUA(
		sipgo.WithUserAgent(userAgent),
		sipgo.WithUserAgentTransactionLayerOptions(siplib.WithTransactionLayerLogger(quiet)),
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
	// Requests leave from the socket we listen on, and say so: the only way through a NAT.
	ua.client, err = sipgo.NewClient(agent, sipgo.WithClientLogger(quiet), sipgo.WithClientNAT(),
		sipgo.WithClientAddr(ua.public.String()), sipgo.WithClientConnectionAddr(local.String()))
	if err != nil {
		return fmt.Errorf("build sip client: %w", err)
	}
	ua.agent = agent
	ua.route(server)
	go func() {
		defer close(ua.served)
		if err := server.ServeUDP(ua.socket); err != nil {
			ua.log.Error("sip socket failed", "error", err)
		}
	}()
	<-ua.socket.reading
	return nil
}

// Addr is the address of the SIP socket.
func (ua *UA) Addr() netip.AddrPort {
	addr := ua.socket.LocalAddr().(*net.UDPAddr).AddrPort()
	return netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())
}

// Close refuses new calls with 503 and waits for the live ones until ctx ends. Those left are hung up, or cancelled
// while they ring, before the socket closes.
func (ua *UA) Close(ctx context.Context) error {
	ua.mu.Lock()
	first := !ua.draining
	ua.draining = true
	ua.mu.Unlock()
	if !first {
		<-ua.served
		return nil
	}
	idle := make(chan struct{})
	go func() {
		ua.calls.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-ctx.Done():
	}
	err := ua.cutCalls(idle)
	return errors.Join(err, ua.shut())
}

// cutCalls ends what is still alive and gives it a moment to say goodbye.
func (ua *UA) cutCalls(idle <-chan struct{}) error {
	ua.cut()
	ctx, cancel := context.WithTimeout(context.Background(), hangupGrace)
	defer cancel()
	var mu sync.Mutex
	var failed []error
	var byes sync.WaitGroup
	for _, leg := range ua.live() {
		byes.Go(func() {
			if err := leg.end(ctx, ErrClosed); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, err)
			}
		})
	}
	byes.Wait()
	select {
	case <-idle:
	case <-ctx.Done():
		failed = append(failed, errors.New("close sip: calls are still open"))
	}
	return errors.Join(failed...)
}

// shut ends the transactions and the socket.
func (ua *UA) shut() error {
	ua.gate.Lock()
	ua.stopped = true
	ua.gate.Unlock()
	err := ua.agent.Close()
	if closeErr := ua.socket.Close(); closeErr != nil {
		err = errors.Join(err, closeErr)
	}
	<-ua.served
	ua.tasks.Wait()
	if err != nil {
		return fmt.Errorf("close sip socket: %w", err)
	}
	return nil
}

// spawn runs a task that Close waits for. It is false once the socket is closing.
func (ua *UA) spawn(task func()) bool {
	ua.gate.RLock()
	defer ua.gate.RUnlock()
	if ua.stopped {
		return false
	}
	ua.tasks.Go(task)
	return true
}

// transact sends a request that gets answers. After the end of the socket sipgo would quietly open another one.
func (ua *UA) transact(ctx context.Context, req *siplib.Request) (siplib.ClientTransaction, error) {
	ua.gate.RLock()
	defer ua.gate.RUnlock()
	if ua.stopped {
		return nil, ErrClosed
	}
	return ua.client.TransactionRequest(ctx, req)
}

// write sends a request that gets none: an ACK.
func (ua *UA) write(req *siplib.Request) error {
	ua.gate.RLock()
	defer ua.gate.RUnlock()
	if ua.stopped {
		return ErrClosed
	}
	return ua.client.WriteRequest(req)
}

// enter counts a new call in, unless the user agent is closing.
func (ua *UA) enter() bool {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	if ua.draining {
		return false
	}
	ua.calls.Add(1)
	return true
}

// register makes a leg reachable for requests. The caller's own call still counts, so the leg may join even in a drain.
func (ua *UA) register(l *Leg) {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	ua.calls.Add(1)
	ua.legs[l.key] = l
	ua.peers[l.peer]++
}

// forget is the end of what register began.
func (ua *UA) forget(l *Leg) {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	if ua.legs[l.key] != l {
		return
	}
	delete(ua.legs, l.key)
	if ua.peers[l.peer]--; ua.peers[l.peer] == 0 {
		delete(ua.peers, l.peer)
	}
	ua.calls.Done()
}

func (ua *UA) live() []*Leg {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	legs := make([]*Leg, 0, len(ua.legs))
	for _, l := range ua.legs {
		legs = append(legs, l)
	}
	return legs
}

func (ua *UA) isDraining() bool {
	ua.mu.Lock()
	defer ua.mu.Unlock()
	return ua.draining
}
