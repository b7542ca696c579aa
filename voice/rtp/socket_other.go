//go:build !linux

package rtp

import (
	"errors"
	"net"
	"net/netip"
	"time"

	"github.com/callwright/callwright/voice/media"
)

const unlookedAt = 64 // datagrams that wait for the clock's next look; what exceeds them is lost, as in a kernel's buffer

// socket is a UDP socket that the clock looks into. Where a look may not be told from a wait without means of the
// system's own, a goroutine waits.
type socket struct {
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

// newSocket takes the place of a bound socket.
func newSocket(conn *net.UDPConn) (*socket, error) {
	s := &socket{conn: conn, local: localAddr(conn), came: make(chan came, unlookedAt), done: make(chan struct{})}
	go s.wait()
	return s, nil
}

func (s *socket) wait() {
	defer close(s.done)
	var buf [media.PacketLen]byte
	for {
		n, from, err := s.conn.ReadFromUDPAddrPort(buf[:])
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // an ICMP error says nothing that the media timeout would not find out
			continue
		}
		select {
		case s.came <- came{append([]byte(nil), buf[:n]...), netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), time.Now()}:
		default:
		}
	}
}

func (s *socket) close() error {
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

// receive fills a with the next datagram. It returns false when none is there.
func (s *socket) receive(a *arrival) bool {
	select {
	case c := <-s.came:
		a.data, a.from, a.waited = c.data, c.from, time.Since(c.at)
		return true
	default:
		return false
	}
}

func (s *socket) send(datagram []byte, to netip.AddrPort) error {
	_, err := s.conn.WriteToUDPAddrPort(datagram, to)
	return err
}
