package wire

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/emiago/sipgo"
	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/rtp"
)

// shutLinger is for the last messages read. sipgo handles each in a goroutine that cannot be waited for, and one that finds
// its socket closed opens another, which only the end of the transport layer closes again.
const shutLinger = 20 * time.Millisecond

// Bind binds the sockets, of which none is read before Serve. The endpoint must be closed.
func Bind(cfg Config) (*Endpoint, error) {
	conn, err := bind(cfg.Listen)
	if err != nil {
		return nil, err
	}
	e := &Endpoint{
		cfg: cfg, log: cfg.Logger,
		load:    load{log: cfg.Logger},
		clients: map[Transport]*sipgo.Client{}, listeners: map[Transport]net.Listener{}, ports: map[Transport]uint16{},
	}
	e.socket = newSocket(conn, cfg.Logger, e.refuse)
	if err := e.open(); err != nil {
		return nil, errors.Join(err, e.closeListeners(), conn.Close())
	}
	return e, nil
}

// ReceiveBuffer, in bytes, holds the answers to a thousand calls that leave at once: what the kernel drops comes half a second
// later (RFC 3261, T1). The kernel gives what its own limit allows (on Linux net.core.rmem_max).
const ReceiveBuffer = 4 << 20

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
	if err := conn.SetReadBuffer(ReceiveBuffer); err != nil {
		return nil, errors.Join(fmt.Errorf("size sip socket: %w", err), conn.Close())
	}
	return conn, nil
}

// open finds out where others reach us, and builds sipgo's layers.
func (e *Endpoint) open() error {
	local := e.Addr()
	e.public = local
	if e.cfg.PublicIP.IsValid() {
		e.public = netip.AddrPortFrom(e.cfg.PublicIP, local.Port())
	}
	if e.public.Addr().IsUnspecified() {
		return fmt.Errorf("listen on %s: without a public IP nobody could call back", local)
	}
	e.ports[UDP] = e.public.Port()
	secure, err := e.cfg.TLS.load()
	if err != nil {
		return err
	}
	if err := e.listenStreams(secure); err != nil {
		return err
	}
	setUpLibrary()
	quiet := quietLogger(e.log)
	e.agent, err = sipgo.NewUA(
		sipgo.WithUserAgent(UserAgent), sipgo.WithUserAgenTLSConfig(secure),
		sipgo.WithUserAgentTransactionLayerOptions(
			siplib.WithTransactionLayerLogger(quiet), siplib.WithTransactionLayerTerminateOnConnClose(),
			siplib.WithTransactionLayerUnhandledResponseHandler(e.cfg.Late)),
		sipgo.WithUserAgentTransportLayerOptions(
			siplib.WithTransportLayerLogger(quiet), siplib.WithTransportLayerReadFilter(e.screen),
			siplib.WithTransportLayerTransports(siplib.TransportsConfig{
				TCP: &siplib.TransportTCP{DialerCreate: e.newDialer, WriteTimeout: writeLimit},
				TLS: &siplib.TransportTLS{TransportTCP: &siplib.TransportTCP{DialerCreate: e.newDialer, WriteTimeout: writeLimit}},
			})),
	)
	if err != nil {
		return fmt.Errorf("build sip layers: %w", err)
	}
	return e.newClients(quiet)
}

// Serve has the handlers that route sets take what comes. It returns when the UDP socket is being read.
func (e *Endpoint) Serve(route func(*sipgo.Server)) error {
	server, err := sipgo.NewServer(e.agent, sipgo.WithServerLogger(quietLogger(e.log)))
	if err != nil {
		return fmt.Errorf("build sip server: %w", err)
	}
	route(server)
	e.serving.Go(func() {
		if err := server.ServeUDP(e.socket); err != nil {
			e.log.Error("sip socket failed", "transport", UDP, "error", err)
		}
	})
	e.serveStreams(server)
	<-e.socket.reading
	return nil
}

// Close ends the sockets and the transactions, and waits for what was spawned. Connections end with the transport layer,
// after what was written to them. What comes is not read any more before the socket closes, as sipgo would answer it by
// another one.
func (e *Endpoint) Close() error {
	e.gate.Lock()
	e.stopped = true
	e.gate.Unlock()
	e.deaf.Store(true)
	time.Sleep(shutLinger)
	err := errors.Join(e.closeListeners(), e.socket.Close())
	e.serving.Wait()
	time.Sleep(shutLinger)
	err = errors.Join(err, e.agent.Close())
	e.tasks.Wait()
	if err != nil {
		return fmt.Errorf("close sip socket: %w", err)
	}
	return nil
}
