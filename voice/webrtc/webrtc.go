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

	// Beside opens, where Listen is an address of loopback, one more port at this machine's address in its network, which takes
	// packets of this machine alone. Firefox has no candidate of loopback while there is a network, and tries none with such a one.
	Beside bool

	Clocks media.Clocks
	Logger *slog.Logger
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
