// Package accept takes connections over TCP from whoever may have some, and no more of them than there is room for. It knows nothing
// of what they carry.
package accept

import (
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	// MaxConnections are open at a time.
	MaxConnections = 4096
	acceptPause    = 50 * time.Millisecond
)

// Rules say who may have how many connections.
type Rules struct {
	Of string // whom they are of, for the log, such as "browsers"
	// Most returns how many connections the network of a source may have open at a time; 0: none, which is not logged.
	Most func(source netip.AddrPort) int
	Log  *slog.Logger
}

// Listener accepts connections as the rules have it. It goes on behind an accept that fails, as one does when the process has no
// file handle left: pion stops for good at the first, and so does sipgo.
type Listener struct {
	net.Listener
	rules Rules

	mu      sync.Mutex
	open    int
	of      map[netip.Prefix]int
	full    bool // somebody was refused since somebody was taken
	failing bool // the last was not accepted
}

// New returns a listener that accepts what bound does.
func New(bound net.Listener, rules Rules) *Listener {
	return &Listener{Listener: bound, rules: rules, of: map[netip.Prefix]int{}}
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
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
func (l *Listener) told(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil && !l.failing {
		l.rules.Log.Error("connections are not accepted", "of", l.rules.Of, "error", err)
	}
	l.failing = err != nil
}

// count takes a place for a connection; it returns nil when there is none.
func (l *Listener) count(conn net.Conn) net.Conn {
	source := addrPortOf(conn.RemoteAddr())
	most, network := l.rules.Most(source), networkOf(source.Addr())
	if most == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= MaxConnections || l.of[network] >= most {
		if !l.full {
			l.rules.Log.Warn("connections are refused, as too many are open", "of", l.rules.Of, "open", l.open, "pii.source", network,
				"of_source", l.of[network])
		}
		l.full = true
		return nil
	}
	l.open++
	l.of[network]++
	l.full = false
	return &countedConn{conn, sync.OnceFunc(func() { l.leave(network) })}
}

func (l *Listener) leave(network netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.of[network]--; l.of[network] == 0 {
		delete(l.of, network)
	}
}

func addrPortOf(address net.Addr) netip.AddrPort {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	known := tcp.AddrPort()
	return netip.AddrPortFrom(known.Addr().Unmap(), known.Port())
}

// networkOf is who an address belongs to, as far as one can tell: of IPv6, anybody has 2^64.
func networkOf(ip netip.Addr) netip.Prefix {
	bits := 32
	if ip.Is6() {
		bits = 64
	}
	network, _ := ip.Prefix(bits) // of no address: that of none
	return network
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
