package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/emiago/sipgo"
	siplib "github.com/emiago/sipgo/sip"
)

// Transport is how SIP messages travel to the next hop. Empty means UDP.
type Transport string

// The transports of a user agent. UDP is always there, and the others can always open connections.
const (
	UDP Transport = "UDP"
	TCP Transport = "TCP"
	TLS Transport = "TLS"
)

const connectTimeout = 10 * time.Second // for opening a TCP or TLS connection

// TLSConfig is what SIP over TLS needs.
type TLSConfig struct {
	Listen            string // address and TCP port; empty: connections are opened, none accepted
	CertFile, KeyFile string // PEM; needed for accepting, and shown to servers that ask who we are
	RootsFile         string // PEM of the authorities believed when we open a connection; empty: the system's
}

func (t Transport) Check() error {
	switch t {
	case "", UDP, TCP, TLS:
		return nil
	}
	return fmt.Errorf("%q is no transport we know", string(t))
}

// OrUDP reads the zero value.
func (t Transport) OrUDP() Transport {
	if t == "" {
		return UDP
	}
	return t
}

func (t Transport) Reliable() bool { return t == TCP || t == TLS }

func (t Transport) defaultPort() int { return siplib.DefaultPort(string(t.OrUDP())) }

// load reads the files into a configuration for both directions.
func (c TLSConfig) load() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.Listen != "" && c.CertFile == "" {
		return nil, errors.New("load tls files: accepting connections takes a certificate")
	}
	if c.CertFile != "" {
		certificate, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("load tls certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{certificate}
	}
	if c.RootsFile == "" {
		return config, nil
	}
	roots, err := os.ReadFile(c.RootsFile)
	if err != nil {
		return nil, fmt.Errorf("load tls authorities: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(roots) {
		return nil, fmt.Errorf("load tls authorities: %s holds no certificate", c.RootsFile)
	}
	return config, nil
}

// AddrPort is the address of one end of a connection in its shortest form.
func AddrPort(addr net.Addr) netip.AddrPort {
	var full netip.AddrPort
	switch a := addr.(type) {
	case *net.UDPAddr:
		full = a.AddrPort()
	case *net.TCPAddr:
		full = a.AddrPort()
	}
	return netip.AddrPortFrom(full.Addr().Unmap(), full.Port())
}

// newClients makes what sends requests, one per transport. Over UDP they leave from the socket we listen on, and say
// so: the only way through a NAT. Over TCP and TLS they take the connection that is open towards their destination.
func (e *Endpoint) newClients(quiet *slog.Logger) error {
	options := map[Transport][]sipgo.ClientOption{
		UDP: {sipgo.WithClientAddr(e.public.String()), sipgo.WithClientConnectionAddr(e.Addr().String())},
	}
	for _, transport := range []Transport{TCP, TLS} {
		options[transport] = []sipgo.ClientOption{
			sipgo.WithClientHostname(e.public.Addr().String()), sipgo.WithClientPort(int(e.ports[transport])),
		}
	}
	for transport, special := range options {
		client, err := sipgo.NewClient(e.agent, append(special, sipgo.WithClientLogger(quiet), sipgo.WithClientNAT())...)
		if err != nil {
			return fmt.Errorf("build sip client: %w", err)
		}
		e.clients[transport] = client
	}
	return nil
}

// Contact returns where a peer sends the requests of a call, by the transport that the call uses. peer is its host:port. The call's
// tag is the user, by which such requests are known wherever they come from.
func (e *Endpoint) Contact(tag, peer string, transport Transport, secure bool) *siplib.ContactHeader {
	contact := e.ContactAt(tag, e.Reached(transport, e.cfg.Directory.SeenFrom(HostOf(peer))), transport, secure)
	if contact.Address.Port == 0 {
		err := e.WithConnection(transport, peer, func(conn siplib.Connection) error {
			contact.Address.Port = int(AddrPort(conn.LocalAddr()).Port())
			return nil
		})
		if err != nil {
			e.log.Debug("contact names no port yet", "error", err)
		}
	}
	return contact
}

// nameConnection completes the Contact of a request by a transport over which we accept no connections. It then names
// our end of the one that the request takes, which is opened for that if need be.
func (e *Endpoint) nameConnection(ctx context.Context, req *siplib.Request) error {
	contact, transport := req.Contact(), TransportOf(req)
	if contact == nil || contact.Address.Port != 0 || !transport.Reliable() {
		return nil
	}
	ahead := siplib.NewRequest(req.Method, req.Recipient) // only to say where to
	ahead.AppendHeader(&siplib.ViaHeader{Transport: string(transport), Host: contact.Address.Host})
	ahead.SetTransport(string(transport))
	ahead.SetDestination(req.Destination())
	conn, err := e.agent.TransportLayer().ClientRequestConnection(ctx, ahead)
	if err != nil {
		return fmt.Errorf("open connection: %w", err)
	}
	contact.Address.Port = int(AddrPort(conn.LocalAddr()).Port())
	_, err = conn.TryClose()
	return err
}

// Reached returns the address that a peer reaches us at who sees us at seen, which may be unknown. An address that was
// configured goes before. A connection that we opened where we accept none can only be reached at its own port.
func (e *Endpoint) Reached(transport Transport, seen netip.AddrPort) netip.AddrPort {
	ip, port := e.public.Addr(), e.ports[transport]
	if port == 0 || transport == UDP && seen.IsValid() && !e.cfg.PublicIP.IsValid() {
		port = seen.Port()
	}
	if seen.IsValid() && !e.cfg.PublicIP.IsValid() {
		ip = seen.Addr()
	}
	return netip.AddrPortFrom(ip, port)
}

// ContactAt returns a Contact of ours at an address.
func (e *Endpoint) ContactAt(user string, address netip.AddrPort, transport Transport, secure bool) *siplib.ContactHeader {
	uri := siplib.Uri{Scheme: "sip", User: user, Host: address.Addr().String(), Port: int(address.Port())}
	switch {
	case secure:
		uri.Scheme = "sips"
	case transport.Reliable():
		uri.UriParams.Add("transport", strings.ToLower(string(transport)))
	}
	return &siplib.ContactHeader{Address: uri}
}

// Connected reports whether a TCP or TLS connection to this very address is open.
func (e *Endpoint) Connected(transport Transport, address string) bool {
	return e.WithConnection(transport, address, func(siplib.Connection) error { return nil }) == nil
}

var errNotConnected = errors.New("no connection to that address is open")

// Connections returns the number of open connections of a transport, each of which counts for both of its addresses.
func (e *Endpoint) Connections(transport Transport) int {
	return e.agent.TransportLayer().Pool(string(transport)).Size()
}

// WithConnection lends an open connection, to whose far end address belongs.
func (e *Endpoint) WithConnection(transport Transport, address string, use func(siplib.Connection) error) error {
	conn := e.agent.TransportLayer().Pool(string(transport)).Get(address)
	if conn == nil {
		return errNotConnected
	}
	err := use(conn)
	if _, closing := conn.TryClose(); err == nil {
		err = closing
	}
	return err
}

// AddrOf is the address at which connections of this transport are accepted; the zero value where none are.
func (e *Endpoint) AddrOf(transport Transport) netip.AddrPort {
	if !transport.Reliable() {
		return e.Addr()
	}
	if l := e.listeners[transport]; l != nil {
		return AddrPort(l.Addr())
	}
	return netip.AddrPort{}
}

// HostOf returns an address without its port, if it has one.
func HostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return strings.Trim(address, "[]")
}

// WithPort returns an address with the usual port if it names none.
func WithPort(address string, transport Transport) string {
	if _, _, err := net.SplitHostPort(address); err == nil {
		return address
	}
	return net.JoinHostPort(strings.Trim(address, "[]"), strconv.Itoa(transport.defaultPort()))
}
