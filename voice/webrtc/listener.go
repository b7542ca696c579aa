package webrtc

import (
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Anybody may connect: who calls is known by what the connection carries. So there are only so many, from one address (a network
// of IPv6: a household has one) and in all, or the process would run out of file handles, which its other calls need.
const (
	maxConnections = 4096
	maxOfSource    = 256 // an office may be one address
	acceptPause    = 50 * time.Millisecond
)

// listener accepts connections as long as it is open. pion stops for good at the first that fails, as it does when the process
// has no file handle left.
type listener struct {
	net.Listener
	log *slog.Logger

	mu      sync.Mutex
	open    int
	of      map[netip.Prefix]int
	full    bool // somebody was refused since somebody was taken
	failing bool // the last was not accepted
}

func newListener(bound net.Listener, log *slog.Logger) *listener {
	return &listener{Listener: bound, log: log, of: map[netip.Prefix]int{}}
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil, err
		}
		l.told(err)
		if err != nil {
			time.Sleep(acceptPause) // until somebody leaves
			continue
		}
		if counted := l.count(conn); counted != nil {
			return counted, nil
		}
		_ = conn.Close() // there is nothing to lose
	}
}

// told logs the first of the failures in a row.
func (l *listener) told(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil && !l.failing {
		l.log.Error("connections of browsers are not accepted", "error", err)
	}
	l.failing = err != nil
}

// count takes a place for a connection; it returns nil when there is none.
func (l *listener) count(conn net.Conn) net.Conn {
	source := sourceOf(conn.RemoteAddr())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= maxConnections || l.of[source] >= maxOfSource {
		if !l.full {
			l.log.Warn("connections of browsers are refused, as too many are open", "open", l.open, "pii.source", source,
				"of_source", l.of[source])
		}
		l.full = true
		return nil
	}
	l.open++
	l.of[source]++
	l.full = false
	return &countedConn{conn, sync.OnceFunc(func() { l.leave(source) })}
}

func (l *listener) leave(source netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.of[source]--; l.of[source] == 0 {
		delete(l.of, source)
	}
}

// sourceOf is who an address belongs to, as far as one can tell.
func sourceOf(address net.Addr) netip.Prefix {
	var ip netip.Addr
	if tcp, ok := address.(*net.TCPAddr); ok {
		ip = tcp.AddrPort().Addr().Unmap()
	}
	bits := 32
	if ip.Is6() {
		bits = 64
	}
	source, _ := ip.Prefix(bits) // of no address: that of none
	return source
}

// countedConn gives its place back when it is closed.
type countedConn struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (c *countedConn) Close() error {
	c.leave()
	return c.Conn.Close()
}

// socket outlives errors that pass, at which pion would stop reading it for good.
type socket struct {
	*net.UDPConn
	log *slog.Logger
}

// ReadFrom implements net.PacketConn.
func (s socket) ReadFrom(b []byte) (int, net.Addr, error) {
	for {
		n, from, err := s.UDPConn.ReadFrom(b)
		if err == nil || errors.Is(err, net.ErrClosed) {
			return n, from, err
		}
		s.log.Error("socket of web calls was not read", "error", err)
		time.Sleep(acceptPause)
	}
}
