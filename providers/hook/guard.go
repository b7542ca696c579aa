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
	"github.com/callwright/callwright/traces"
)

// Config is the configuration of a Client.
type Config struct {
	Allow     []netip.Prefix // allowed in addition to public addresses, such as a developer's machine or an intranet
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

// Guard decides which addresses may be connected to for customers: public ones, and those that the deployment allows.
// It checks addresses, never names: a name may resolve to another address by the time of the connection.
type Guard struct {
	allow   []netip.Prefix
	special []netip.Prefix // special-purpose addresses that look public
	global6 netip.Prefix   // public IPv6
	nat64   netip.Prefix   // IPv4 in IPv6-only networks (RFC 6052)
}

// NewGuard returns a guard that allows these networks in addition to public addresses.
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

// Dialer returns a dialer for TCP and UDP that connects to allowed addresses. Others fail with a *fault.Error of kind
// Refused.
func (g *Guard) Dialer() *net.Dialer {
	return &net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlivePeriod, ControlContext: g.control}
}

func newHTTP(dialer *net.Dialer) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &traces.Transport{Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    handshakeLimit,
			MaxIdleConns:           maxIdle,
			MaxIdleConnsPerHost:    maxIdlePerHost,
			IdleConnTimeout:        idleTimeout,
			MaxResponseHeaderBytes: maxHeaderBytes,
			DisableCompression:     true, // responses are limited as they are sent
			ForceAttemptHTTP2:      true,
		}},
	}
}

// control is called with the address of a new connection, after DNS: a name that resolves to another address the second
// time is checked again.
func (g *Guard) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil || !slices.Contains([]string{"tcp4", "tcp6", "udp4", "udp6"}, network) || !g.Allows(target.Addr()) {
		return fault.New(fault.Refused, name, fmt.Sprintf("address %s may not be dialled", address))
	}
	return nil
}

// Allows reports whether the address may be connected to. An IPv4 address inside an IPv6 one counts as the IPv4 address
// if connections go there (mapped, NAT64); tunnels (6to4, Teredo) can lead anywhere and are refused.
func (g *Guard) Allows(addr netip.Addr) bool {
	addr = g.Reached(addr)
	return within(g.allow, addr) || g.public(addr)
}

// Opened reports whether the deployment has opened the address to customers itself.
func (g *Guard) Opened(addr netip.Addr) bool { return within(g.allow, g.Reached(addr)) }

// Reached returns the address that connections to addr arrive at: the IPv4 address inside an IPv6 one, if they go there.
func (g *Guard) Reached(addr netip.Addr) netip.Addr {
	addr = addr.Unmap().WithZone("")
	if g.nat64.Contains(addr) {
		bytes := addr.As16()
		return netip.AddrFrom4([4]byte(bytes[12:]))
	}
	return addr
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
