package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"

	"github.com/emiago/sipgo"
	siplib "github.com/emiago/sipgo/sip"
)

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

// Contact returns where a peer sends the requests of a call, by the transport that the call uses. peer is its host:port. The
// call's tag is the user, by which such requests are known wherever they come from.
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

// connectAhead opens the connection that a request takes where it must be there before: to complete the Contact of a request
// by a transport over which we accept no connections, as it then names our end of that one, and always where asked for.
func (e *Endpoint) connectAhead(ctx context.Context, req *siplib.Request, always bool) error {
	contact, transport := req.Contact(), TransportOf(req)
	if contact == nil || !transport.Reliable() {
		return nil
	}
	unnamed := contact.Address.Port == 0
	if !unnamed && !always {
		return nil
	}
	conn, err := e.connect(ctx, req)
	if err != nil {
		return err
	}
	if unnamed {
		contact.Address.Port = int(AddrPort(conn.LocalAddr()).Port())
	}
	_, err = conn.TryClose()
	return err
}

// connect lends the connection that a request takes, which it opens where there is none.
func (e *Endpoint) connect(ctx context.Context, req *siplib.Request) (*siplib.TCPConnection, error) {
	transport := string(TransportOf(req))
	ahead := siplib.NewRequest(req.Method, req.Recipient) // only to say where to
	ahead.AppendHeader(&siplib.ViaHeader{Transport: transport, Host: e.public.Addr().String()})
	ahead.SetTransport(transport)
	ahead.SetDestination(req.Destination())
	conn, err := e.agent.TransportLayer().ClientRequestConnection(ctx, ahead)
	if err != nil {
		return nil, fmt.Errorf("open connection: %w", err)
	}
	stream, ok := conn.(*siplib.TCPConnection)
	if !ok {
		return nil, fmt.Errorf("open connection: a %T has no far end", conn)
	}
	return stream, nil
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

// AddrOf returns the address at which connections of this transport are accepted; the zero value where none are.
func (e *Endpoint) AddrOf(transport Transport) netip.AddrPort {
	if !transport.Reliable() {
		return e.Addr()
	}
	if l := e.listeners[transport]; l != nil {
		return AddrPort(l.Addr())
	}
	return netip.AddrPort{}
}
