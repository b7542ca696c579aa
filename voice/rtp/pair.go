package rtp

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
)

const kernelTries = 32 // that the kernel's free ports come with a free neighbour nearly always takes one

// portRange binds pairs of ports.
type portRange struct {
	ip          netip.Addr
	first, last int // zero: whatever the kernel picks
}

// portPair is RTP on an even port and RTCP on the next (RFC 3550 section 11).
type portPair struct {
	rtp, rtcp *net.UDPConn
}

func (p portPair) close() error { return errors.Join(p.rtp.Close(), p.rtcp.Close()) }

// sockets is a pair as the clock uses it.
type sockets struct {
	rtp, rtcp *socket
}

func (p sockets) close() error { return errors.Join(p.rtp.close(), p.rtcp.close()) }

// open binds a pair for the clock.
func (p portRange) open() (sockets, error) {
	pair, err := p.listen()
	if err != nil {
		return sockets{}, err
	}
	rtp, err := newSocket(pair.rtp)
	if err != nil {
		return sockets{}, errors.Join(err, pair.rtcp.Close())
	}
	rtcp, err := newSocket(pair.rtcp)
	if err != nil {
		return sockets{}, errors.Join(err, rtp.close())
	}
	return sockets{rtp, rtcp}, nil
}

func (p portRange) listen() (portPair, error) {
	if p.last == 0 {
		return p.listenAnywhere()
	}
	first := p.first + p.first&1
	pairs := (p.last - first + 1) / 2
	if pairs < 1 {
		return portPair{}, fmt.Errorf("open media port: %d to %d holds no pair of ports", p.first, p.last)
	}
	var taken error
	start := rand.IntN(pairs) // a port just given back may still receive its last call's packets
	for i := range pairs {
		pair, err := p.bindPair(first + 2*((start+i)%pairs))
		if err == nil {
			return pair, nil
		}
		taken = err
	}
	return portPair{}, fmt.Errorf("open media port: %d to %d are all taken: %w", p.first, p.last, taken)
}

func (p portRange) listenAnywhere() (portPair, error) {
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
func (p portRange) complete(conn *net.UDPConn) (portPair, error) {
	port := int(localAddr(conn).Port())
	neighbour, err := p.bind(port ^ 1)
	switch {
	case err != nil:
		return portPair{}, err
	case port%2 == 0:
		return portPair{conn, neighbour}, nil
	}
	return portPair{neighbour, conn}, nil
}

func (p portRange) bindPair(even int) (portPair, error) {
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

func (p portRange) bind(port int) (*net.UDPConn, error) {
	return net.ListenUDP(UDPNetwork(p.ip), net.UDPAddrFromAddrPort(netip.AddrPortFrom(p.ip, uint16(port))))
}
