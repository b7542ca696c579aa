package sip

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/emiago/sipgo"
)

const (
	maxConnections = 4096 // accepted and open at a time, per transport
	acceptPause    = 50 * time.Millisecond
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
		case !l.welcome(addrPort(conn.RemoteAddr())):
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

// count takes a place for a connection; it is nil when there is none.
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

// listenStreams binds the sockets that accept TCP and TLS connections.
func (ua *UA) listenStreams(config *tls.Config) error {
	for transport, address := range map[Transport]string{TCP: ua.cfg.TCP, TLS: ua.cfg.TLS.Listen} {
		if address == "" {
			continue
		}
		bound, err := new(net.ListenConfig).Listen(ua.ctx, "tcp", address)
		if err != nil {
			return fmt.Errorf("bind sip socket for %s: %w", transport, err)
		}
		ua.ports[transport] = addrPort(bound.Addr()).Port()
		ua.listeners[transport] = &listener{bound, ua.welcome, make(chan struct{}, maxConnections), ua.log}
		if transport == TLS {
			ua.listeners[transport] = tls.NewListener(ua.listeners[transport], config)
		}
	}
	return nil
}

// serveStreams answers what comes over accepted connections, until their listener is closed.
func (ua *UA) serveStreams(server *sipgo.Server) {
	for transport, l := range ua.listeners {
		serve := server.ServeTCP
		if transport == TLS {
			serve = server.ServeTLS
		}
		ua.serving.Go(func() {
			if err := serve(l); !errors.Is(err, net.ErrClosed) {
				ua.log.Error("sip socket failed", "transport", transport, "error", err)
			}
		})
	}
}

func (ua *UA) closeListeners() error {
	var failed []error
	for _, l := range ua.listeners {
		failed = append(failed, l.Close())
	}
	return errors.Join(failed...)
}
