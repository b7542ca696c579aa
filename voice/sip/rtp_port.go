package sip

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
)

const kernelTries = 32 // an even port comes up every second time

// rtpPorts opens media sockets. RTP takes the even port of a pair (RFC 3550 section 11).
type rtpPorts struct {
	ip          netip.Addr
	first, last int // zero: whatever the kernel picks
}

func (p rtpPorts) listen() (*net.UDPConn, error) {
	if p.last == 0 {
		return p.listenAnywhere()
	}
	first := p.first + p.first&1
	if first > p.last {
		return nil, fmt.Errorf("open media port: %d to %d holds no even port", p.first, p.last)
	}
	pairs := (p.last-first)/2 + 1
	start := rand.IntN(pairs) // a port just given back may still receive its last call's packets
	for i := range pairs {
		if conn, err := p.bind(first + 2*((start+i)%pairs)); err == nil {
			return conn, nil
		}
	}
	return nil, fmt.Errorf("open media port: %d to %d are all taken", p.first, p.last)
}

func (p rtpPorts) listenAnywhere() (*net.UDPConn, error) {
	var lastErr error
	for range kernelTries {
		conn, err := p.bind(0)
		if err != nil {
			return nil, fmt.Errorf("open media port: %w", err)
		}
		port := int(localPort(conn))
		if port%2 == 0 {
			return conn, nil
		}
		if err := conn.Close(); err != nil {
			return nil, fmt.Errorf("give back odd media port: %w", err)
		}
		if conn, lastErr = p.bind(port - 1); lastErr == nil {
			return conn, nil
		}
	}
	return nil, fmt.Errorf("open media port: %w", lastErr)
}

func (p rtpPorts) bind(port int) (*net.UDPConn, error) {
	return net.ListenUDP(udpNetwork(p.ip), net.UDPAddrFromAddrPort(netip.AddrPortFrom(p.ip, uint16(port))))
}

// udpNetwork keeps an IPv4 wildcard from becoming a dual-stack socket, whose addresses read differently.
func udpNetwork(ip netip.Addr) string {
	if ip.Is4() {
		return "udp4"
	}
	return "udp6"
}

func localPort(conn *net.UDPConn) uint16 {
	return conn.LocalAddr().(*net.UDPAddr).AddrPort().Port()
}
