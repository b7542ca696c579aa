//go:build !linux

package sip

import (
	"errors"
	"net"
	"net/netip"
	"time"
)

const unlookedAt = 64 // datagrams that wait for the clock's next look; what exceeds them is lost, as in a kernel's buffer

// mediaSocket is a UDP socket that the clock looks into. Where a look may not be told from a wait without means of the
// system's own, a goroutine waits.
type mediaSocket struct {
	conn  *net.UDPConn
	local netip.AddrPort
	came  chan came
	done  chan struct{}
}

type came struct {
	data []byte
	from netip.AddrPort
	at   time.Time
}

// newMediaSocket takes the place of a bound socket.
func newMediaSocket(conn *net.UDPConn) (*mediaSocket, error) {
	s := &mediaSocket{conn: conn, local: addrPort(conn.LocalAddr()), came: make(chan came, unlookedAt), done: make(chan struct{})}
	go s.wait()
	return s, nil
}

func (s *mediaSocket) wait() {
	defer close(s.done)
	var buf [packetLen]byte
	for {
		n, from, err := s.conn.ReadFromUDPAddrPort(buf[:])
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // an ICMP error says nothing that checkLife would not find out
			continue
		}
		select {
		case s.came <- came{append([]byte(nil), buf[:n]...), netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), time.Now()}:
		default:
		}
	}
}

func (s *mediaSocket) close() error {
	err := s.conn.Close()
	<-s.done
	return err
}

// arrival is a datagram that came.
type arrival struct {
	data   []byte
	from   netip.AddrPort
	waited time.Duration // from its arrival to now
}

func newArrival() *arrival { return &arrival{} }

// receive fills a with the next datagram. It is false when none is there.
func (s *mediaSocket) receive(a *arrival) bool {
	select {
	case c := <-s.came:
		a.data, a.from, a.waited = c.data, c.from, time.Since(c.at)
		return true
	default:
		return false
	}
}

func (s *mediaSocket) send(datagram []byte, to netip.AddrPort) error {
	_, err := s.conn.WriteToUDPAddrPort(datagram, to)
	return err
}
