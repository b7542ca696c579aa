package gateways

import (
	"errors"
	"net"
	"net/netip"
	"syscall"
)

// Loopback is the address at which the processes of this machine reach each other: 127.0.0.1, or ::1 where the machine has
// no such address.
func Loopback() string {
	return loopback(func(host string) error {
		address := net.UDPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(host), 0))
		socket, err := net.ListenUDP("udp", address)
		if err != nil {
			return err
		}
		return socket.Close()
	})
}

func loopback(listen func(host string) error) string {
	const ipv4, ipv6 = "127.0.0.1", "::1"
	if errors.Is(listen(ipv4), syscall.EADDRNOTAVAIL) && listen(ipv6) == nil {
		return ipv6
	}
	return ipv4
}
