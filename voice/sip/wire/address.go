package wire

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// AddrPort returns the address of one end of a connection in its shortest form.
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
