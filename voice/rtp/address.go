package rtp

import (
	"net"
	"net/netip"
)

// UDPNetwork returns the name of the network for a socket of ip. It keeps an IPv4 wildcard from becoming a dual-stack socket,
// whose addresses read differently.
func UDPNetwork(ip netip.Addr) string {
	if ip.Is4() {
		return "udp4"
	}
	return "udp6"
}

// localAddr returns the address of a socket in its shortest form.
func localAddr(conn *net.UDPConn) netip.AddrPort {
	full := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	return netip.AddrPortFrom(full.Addr().Unmap(), full.Port())
}

// sharedSpace is that of providers who put their customers behind a NAT (RFC 6598).
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

// isPublic reports whether an address is one of the Internet.
func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !sharedSpace.Contains(ip)
}

// isDestination reports whether packets can be sent to an address.
func isDestination(to netip.AddrPort) bool {
	return to.IsValid() && to.Port() != 0 && !to.Addr().IsUnspecified()
}
