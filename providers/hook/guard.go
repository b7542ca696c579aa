package hook

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"github.com/callwright/callwright/providers/fault"
)

// Config is what a deployment decides.
type Config struct {
	Allow     []netip.Prefix // dialled besides public addresses: a developer's own machine, an intranet
	UserAgent string
}

const (
	dialTimeout     = 5 * time.Second
	idleTimeout     = 60 * time.Second
	maxHeaderBytes  = 64 << 10
	maxIdle         = 1024
	maxIdlePerHost  = 64
	handshakeLimit  = 5 * time.Second
	keepAlivePeriod = 30 * time.Second
)

// Guard decides which addresses are reached for customers: public ones, and those that the deployment allows. It is
// asked with addresses, never with names: what a name resolves to may change between the question and the connection.
type Guard struct {
	allow   []netip.Prefix
	special []netip.Prefix // looks public, is not
	global6 netip.Prefix   // all of IPv6 that is handed out to the public
	nat64   netip.Prefix   // IPv4 as a network without it sees it (RFC 6052)
}

// NewGuard makes a guard that allows these networks besides public ones.
func NewGuard(allow []netip.Prefix) *Guard {
	g := &Guard{allow: allow, global6: netip.MustParsePrefix("2000::/3"), nat64: netip.MustParsePrefix("64:ff9b::/96")}
	for _, prefix := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "168.63.129.16/32", // the last: Azure's host agent
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		g.special = append(g.special, netip.MustParsePrefix(prefix))
	}
	return g
}

// Dialer connects, over TCP or UDP, to what the guard allows. Anything else fails with a *fault.Error of kind Refused.
func (g *Guard) Dialer() *net.Dialer {
	return &net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlivePeriod, ControlContext: g.control}
}

func newHTTP(dialer *net.Dialer) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    handshakeLimit,
			MaxIdleConns:           maxIdle,
			MaxIdleConnsPerHost:    maxIdlePerHost,
			IdleConnTimeout:        idleTimeout,
			MaxResponseHeaderBytes: maxHeaderBytes,
			DisableCompression:     true, // an answer is bounded as it is sent
			ForceAttemptHTTP2:      true,
		},
	}
}

// control is asked with the address that a connection is about to be made to, after DNS:
// a name that resolves differently the second time gains nothing.
func (g *Guard) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil || !slices.Contains([]string{"tcp4", "tcp6", "udp4", "udp6"}, network) || !g.Allows(target.Addr()) {
		return fault.New(fault.Refused, name, fmt.Sprintf("address %s may not be dialled", address))
	}
	return nil
}

// Allows reports whether the address may be reached. An IPv4 address inside an IPv6 one counts as itself, where
// connections to it arrive (mapped, NAT64); tunnels (6to4, Teredo) lead anywhere and are refused.
func (g *Guard) Allows(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if g.nat64.Contains(addr) {
		bytes := addr.As16()
		addr = netip.AddrFrom4([4]byte(bytes[12:]))
	}
	return within(g.allow, addr) || g.public(addr)
}

func (g *Guard) public(addr netip.Addr) bool {
	if !addr.IsGlobalUnicast() || addr.IsPrivate() || within(g.special, addr) {
		return false
	}
	return addr.Is4() || g.global6.Contains(addr)
}

func within(prefixes []netip.Prefix, addr netip.Addr) bool {
	for _, prefix := range prefixes {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}
