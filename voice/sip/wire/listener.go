package wire

import (
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	maxConnections = 4096 // accepted and open at a time, per transport
)

// listener accepts connections from sources that are welcome, and no more of them at a time than free has room for.
// Unlike sipgo's own loop it survives an accept that fails, as it does when file descriptors run out.
type listener struct {
	net.Listener
	welcome func(source netip.AddrPort) bool
	free    chan struct{} // takes one for each open connection
	log     *slog.Logger
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
			l.log.Warn("sip connection was refused, as too many are open")
			conn.Close()
		}
	}
}

// count takes a place for a connection; it returns nil when there is none.
func (l *listener) count(conn net.Conn) net.Conn {
	select {
	case l.free <- struct{}{}:
		return countedConn{conn, sync.OnceFunc(func() { <-l.free })}
	default:
		return nil
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
