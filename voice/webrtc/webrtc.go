// Package webrtc carries legs of calls to browsers: WebRTC with G.711 or G.722, so that nothing is transcoded, on one UDP port
// for all calls of a process and, for networks without UDP, one TCP port (RFC 6544). Our end is ICE-lite (RFC 8445 section 2.5)
// and names its own address, so that neither STUN nor TURN servers are needed. One offer and one answer, with all candidates
// in it, make a call (RFC 9725); what is not sound travels as JSON over one data channel, see Message.
//
// It knows SDP, packets and what a browser may send. It must not know how an offer gets here, nor what a call is about.
package webrtc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/interceptor"
	"github.com/pion/webrtc/v4"

	"github.com/callwright/callwright/voice/media"
)

const (
	// ReceiveBuffer is what the socket of all calls asks for, in bytes. 100 calls lost thousands of packets in 7 s with the default
	// of Linux, and none with this. The kernel gives what its own limit allows (net.core.rmem_max).
	ReceiveBuffer = 4 << 20

	connectWithin = 15 * time.Second        // from the answer, or nobody comes any more
	vanishedAfter = 5500 * time.Millisecond // without any packet of a browser, which asks for consent every 2.5 s (RFC 7675)
	lookEvery     = 500 * time.Millisecond  // whether it has vanished
	secondLook    = 3 * lookEvery           // after which it has, if it was not us who stood still

	tcpWrites  = 64 << 10 // bytes that may wait for a slow reader; more are dropped, as nothing may block the clock
	tcpReads   = 64       // packets that may wait for us
	tcpFirst   = 5 * time.Second
	sctpWindow = 128 << 10
)

// ErrUnconnected is why a leg ended whose browser never came.
var ErrUnconnected = errors.New("the browser did not connect")

// Config is what a Server needs.
type Config struct {
	Listen   string     // address and UDP port of all calls; empty: they must come by TCP
	TCP      string     // address and port for networks without UDP; empty: none
	PublicIP netip.Addr // at which browsers reach this machine; zero: its own address
	Clocks   media.Clocks
	Logger   *slog.Logger
}

// Server answers browsers. It must be closed.
type Server struct {
	api       *webrtc.API
	clocks    media.Clocks
	scratches map[*media.Clock]*media.Scratch
	log       *slog.Logger
	udp, tcp  net.Addr
	close     []func() error

	running sync.WaitGroup // legs, and goroutines of theirs; Add only while not closed
	mu      sync.Mutex
	legs    map[*Leg]struct{}
	closed  bool
}

// Listen opens the ports.
func Listen(cfg Config) (*Server, error) {
	s := &Server{clocks: cfg.Clocks, scratches: map[*media.Clock]*media.Scratch{}, log: cfg.Logger, legs: map[*Leg]struct{}{}}
	for _, clock := range cfg.Clocks {
		s.scratches[clock] = media.NewScratch()
	}
	settings := &webrtc.SettingEngine{LoggerFactory: quiet{cfg.Logger}}
	settings.SetLite(true)
	settings.DisableActiveTCP(true)
	settings.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	settings.SetICETimeouts(vanishedAfter, 0, lookEvery)
	settings.SetSCTPMaxReceiveBufferSize(sctpWindow)
	if err := s.open(cfg, settings); err != nil {
		return nil, errors.Join(fmt.Errorf("open the ports of web calls: %w", err), s.closePorts())
	}
	codecs, reports := &webrtc.MediaEngine{}, &interceptor.Registry{}
	for _, codec := range offered() {
		if err := codecs.RegisterCodec(codec, webrtc.RTPCodecTypeAudio); err != nil {
			return nil, errors.Join(fmt.Errorf("register codecs: %w", err), s.closePorts())
		}
	}
	if err := webrtc.ConfigureRTCPReports(reports); err != nil {
		return nil, errors.Join(fmt.Errorf("configure reports: %w", err), s.closePorts())
	}
	s.api = webrtc.NewAPI(webrtc.WithMediaEngine(codecs), webrtc.WithSettingEngine(*settings),
		webrtc.WithInterceptorRegistry(reports))
	return s, nil
}

// open opens the ports and has the answers name them, at the one address at which browsers reach us.
func (s *Server) open(cfg Config, settings *webrtc.SettingEngine) error {
	listen := cfg.Listen
	if listen == "" {
		listen = cfg.TCP
	}
	own, err := ownAddress(listen)
	if err != nil {
		return err
	}
	settings.SetIncludeLoopbackCandidate(own.IsLoopback())
	settings.SetIPFilter(func(ip net.IP) bool {
		addr, ok := netip.AddrFromSlice(ip)
		return ok && addr.Unmap() == own
	})
	if cfg.PublicIP.IsValid() && cfg.PublicIP != own {
		rule := webrtc.ICEAddressRewriteRule{
			External: []string{cfg.PublicIP.String()}, AsCandidateType: webrtc.ICECandidateTypeHost, Mode: webrtc.ICEAddressRewriteReplace,
		}
		if err := settings.SetICEAddressRewriteRules(rule); err != nil {
			return fmt.Errorf("name the public IP: %w", err)
		}
	}
	family, networks := "4", []webrtc.NetworkType{}
	if own.Is6() {
		family = "6"
	}
	if cfg.Listen != "" {
		if err := s.openUDP("udp"+family, cfg.Listen, settings); err != nil {
			return err
		}
		networks = append(networks, map[string]webrtc.NetworkType{"4": webrtc.NetworkTypeUDP4, "6": webrtc.NetworkTypeUDP6}[family])
	}
	if cfg.TCP != "" {
		if err := s.openTCP("tcp"+family, cfg.TCP, settings); err != nil {
			return err
		}
		networks = append(networks, map[string]webrtc.NetworkType{"4": webrtc.NetworkTypeTCP4, "6": webrtc.NetworkTypeTCP6}[family])
	}
	settings.SetNetworkTypes(networks)
	return nil
}

func (s *Server) openUDP(network, address string, settings *webrtc.SettingEngine) error {
	local, err := net.ResolveUDPAddr(network, address)
	if err != nil {
		return fmt.Errorf("resolve %s: %w", address, err)
	}
	conn, err := net.ListenUDP(network, local)
	if err != nil {
		return err
	}
	granted, err := sizeBuffer(conn)
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	mux := webrtc.NewICEUDPMux(quiet{s.log}.NewLogger("ice"), socket{conn, s.log})
	settings.SetICEUDPMux(mux)
	s.udp = conn.LocalAddr()
	s.close = append(s.close, mux.Close, conn.Close)
	s.log.Info("web calls come by UDP", "address", s.udp, "receive_buffer", granted)
	return nil
}

func (s *Server) openTCP(network, address string, settings *webrtc.SettingEngine) error {
	local, err := net.ResolveTCPAddr(network, address)
	if err != nil {
		return fmt.Errorf("resolve %s: %w", address, err)
	}
	bound, err := net.ListenTCP(network, local)
	if err != nil {
		return err
	}
	mux := ice.NewTCPMuxDefault(ice.TCPMuxParams{
		Listener: newListener(bound, s.log), Logger: quiet{s.log}.NewLogger("ice"), ReadBufferSize: tcpReads, WriteBufferSize: tcpWrites,
		FirstStunBindTimeout: tcpFirst, AliveDurationForConnFromStun: tcpFirst,
	})
	settings.SetICETCPMux(mux)
	s.tcp = bound.Addr()
	s.close = append(s.close, mux.Close)
	s.log.Info("web calls come by TCP, too", "address", s.tcp)
	return nil
}

// ownAddress returns the address of this machine that answers name, where listening is on all of them.
func ownAddress(listen string) (netip.Addr, error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("listen on %q: %w", listen, err)
	}
	if addr, err := netip.ParseAddr(host); err == nil && !addr.IsUnspecified() {
		return addr.Unmap(), nil
	}
	towards := "192.0.2.1:443" // nobody's: only the way there is looked up, and nothing is sent
	if host == "::" {
		towards = "[2001:db8::1]:443"
	}
	conn, err := new(net.Dialer).DialContext(context.Background(), "udp", towards)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("find our address (or name it instead of %q): %w", host, err)
	}
	return conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap(), conn.Close()
}

// UDP returns the address of the UDP port; nil: there is none.
func (s *Server) UDP() net.Addr { return s.udp }

// TCP returns the address of the TCP port; nil: there is none.
func (s *Server) TCP() net.Addr { return s.tcp }

// Close ends all legs with media.ErrClosed, waits until they are over, or ctx ends, and closes the ports.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	legs := slices.Collect(maps.Keys(s.legs))
	s.mu.Unlock()
	for _, leg := range legs {
		leg.end(media.ErrClosed)
	}
	over := make(chan struct{})
	go func() {
		s.running.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-ctx.Done():
	}
	return s.closePorts()
}

func (s *Server) closePorts() error {
	var errs []error
	for _, end := range s.close {
		if err := end(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// join makes leg one of the server's; false: it takes no more.
func (s *Server) join(leg *Leg) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.legs[leg] = struct{}{}
		s.running.Add(1)
	}
	return !s.closed
}

// spawn runs f, which Close waits for, unless the server is closed.
func (s *Server) spawn(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.running.Go(f)
	}
}

// leave forgets a leg that has joined.
func (s *Server) leave(leg *Leg) {
	defer s.running.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.legs, leg)
}
