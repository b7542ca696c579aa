package sip

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
)

const kernelTries = 32 // that the kernel's free ports come with a free neighbour nearly always takes one

// rtpPorts opens media sockets.
type rtpPorts struct {
	ip          netip.Addr
	first, last int // zero: whatever the kernel picks
}

// portPair is RTP on an even port and RTCP on the next (RFC 3550 section 11).
type portPair struct {
	rtp, rtcp *net.UDPConn
}

func (p portPair) close() error { return errors.Join(p.rtp.Close(), p.rtcp.Close()) }

// mediaPorts is a pair as the clock uses it.
type mediaPorts struct {
	rtp, rtcp *mediaSocket
}

func (p mediaPorts) close() error { return errors.Join(p.rtp.close(), p.rtcp.close()) }

// open binds a pair for the clock.
func (p rtpPorts) open() (mediaPorts, error) {
	pair, err := p.listen()
	if err != nil {
		return mediaPorts{}, err
	}
	rtp, err := newMediaSocket(pair.rtp)
	if err != nil {
		return mediaPorts{}, errors.Join(err, pair.rtcp.Close())
	}
	rtcp, err := newMediaSocket(pair.rtcp)
	if err != nil {
		return mediaPorts{}, errors.Join(err, rtp.close())
	}
	return mediaPorts{rtp, rtcp}, nil
}

func (p rtpPorts) listen() (portPair, error) {
	if p.last == 0 {
		return p.listenAnywhere()
	}
	first := p.first + p.first&1
	pairs := (p.last - first + 1) / 2
	if pairs < 1 {
		return portPair{}, fmt.Errorf("open media port: %d to %d holds no pair of ports", p.first, p.last)
	}
	start := rand.IntN(pairs) // a port just given back may still receive its last call's packets
	for i := range pairs {
		if pair, err := p.bindPair(first + 2*((start+i)%pairs)); err == nil {
			return pair, nil
		}
	}
	return portPair{}, fmt.Errorf("open media port: %d to %d are all taken", p.first, p.last)
}

func (p rtpPorts) listenAnywhere() (portPair, error) {
	var lastErr error
	for range kernelTries {
		conn, err := p.bind(0)
		if err != nil {
			return portPair{}, fmt.Errorf("open media port: %w", err)
		}
		pair, err := p.complete(conn)
		if err == nil {
			return pair, nil
		}
		lastErr = errors.Join(err, conn.Close())
	}
	return portPair{}, fmt.Errorf("open media port: %w", lastErr)
}

// complete binds the neighbour that makes a pair with conn.
func (p rtpPorts) complete(conn *net.UDPConn) (portPair, error) {
	port := int(localPort(conn))
	neighbour, err := p.bind(port ^ 1)
	switch {
	case err != nil:
		return portPair{}, err
	case port%2 == 0:
		return portPair{conn, neighbour}, nil
	}
	return portPair{neighbour, conn}, nil
}

func (p rtpPorts) bindPair(even int) (portPair, error) {
	conn, err := p.bind(even)
	if err != nil {
		return portPair{}, err
	}
	pair, err := p.complete(conn)
	if err != nil {
		return portPair{}, errors.Join(err, conn.Close())
	}
	return pair, nil
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
