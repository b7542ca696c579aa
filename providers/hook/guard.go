package hook

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
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
	maxIdlePerHost  = 16
	handshakeLimit  = 5 * time.Second
	keepAlivePeriod = 30 * time.Second
)

// guard decides which addresses are dialled.
type guard struct {
	allow   []netip.Prefix
	special []netip.Prefix // looks public, is not
	global6 netip.Prefix   // all of IPv6 that is handed out to the public
}

func newGuard(allow []netip.Prefix) *guard {
	g := &guard{allow: allow, global6: netip.MustParsePrefix("2000::/3")}
	for _, prefix := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "168.63.129.16/32", // the last: Azure's host agent
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		g.special = append(g.special, netip.MustParsePrefix(prefix))
	}
	return g
}

func newHTTP(cfg Config) *http.Client {
	dialer := &net.Dialer{
		Timeout: dialTimeout, KeepAlive: keepAlivePeriod, ControlContext: newGuard(cfg.Allow).control,
	}
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
func (g *guard) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" || !g.allows(target.Addr()) {
		return fault.New(fault.Refused, name, fmt.Sprintf("address %s may not be dialled", address))
	}
	return nil
}

func (g *guard) allows(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	return within(g.allow, addr) || g.public(addr)
}

func (g *guard) public(addr netip.Addr) bool {
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
