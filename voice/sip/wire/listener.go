package wire

import (
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Accepted and open at a time, per transport. Far ends of live calls and registrars are welcome, too; they have a few connections
// each, or one customer's provider could take those of the carrier.
const (
	maxConnections = 4096
	maxOfGuest     = 16 // from an address that is welcome as a far end or registrar alone
)

// listener accepts connections from sources that are welcome, and no more of them at a time than there is room for.
// Unlike sipgo's own loop it survives an accept that fails, as it does when file descriptors run out.
type listener struct {
	net.Listener
	welcome func(source netip.AddrPort) bool
	guest   func(source netip.AddrPort) bool // who is welcome may have few
	log     *slog.Logger

	mu   sync.Mutex
	open int
	of   map[netip.Addr]int
	full bool // somebody was refused since somebody was taken
}

func newListener(bound net.Listener, welcome, guest func(netip.AddrPort) bool, log *slog.Logger) *listener {
	return &listener{Listener: bound, welcome: welcome, guest: guest, log: log, of: map[netip.Addr]int{}}
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil, err
		case err != nil:
			l.log.Error("sip connection was not accepted", "error", err)
			time.Sleep(acceptPause) // until somebody hangs up
		case !l.welcome(AddrPort(conn.RemoteAddr())):
			conn.Close()
		default:
			if counted := l.count(conn); counted != nil {
				return counted, nil
			}
			conn.Close()
		}
	}
}

// count takes a place for a connection; it returns nil when there is none.
func (l *listener) count(conn net.Conn) net.Conn {
	source := AddrPort(conn.RemoteAddr())
	most := maxConnections
	if l.guest(source) {
		most = maxOfGuest
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= maxConnections || l.of[source.Addr()] >= most {
		if !l.full {
			l.log.Warn("sip connections are refused, as too many are open", "source", source, "of_source", l.of[source.Addr()],
				"open", l.open)
		}
		l.full = true
		return nil
	}
	l.open++
	l.of[source.Addr()]++
	l.full = false
	return countedConn{conn, sync.OnceFunc(func() { l.leave(source.Addr()) })}
}

func (l *listener) leave(source netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.of[source]--; l.of[source] == 0 {
		delete(l.of, source)
	}
}

// countedConn gives its place back when it is closed.
type countedConn struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (c countedConn) Close() error {
	c.leave()
	return c.Conn.Close()
}
