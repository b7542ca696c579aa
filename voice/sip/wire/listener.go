package wire

import (
	"context"
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
func (e *Endpoint) listenStreams(config *tls.Config) error {
	for transport, address := range map[Transport]string{TCP: e.cfg.TCP, TLS: e.cfg.TLS.Listen} {
		if address == "" {
			continue
		}
		// Binding an address of this machine waits for nothing, so there is no context to heed.
		bound, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
		if err != nil {
			return fmt.Errorf("bind sip socket for %s: %w", transport, err)
		}
		e.ports[transport] = AddrPort(bound.Addr()).Port()
		e.listeners[transport] = &listener{bound, e.welcome, make(chan struct{}, maxConnections), e.log}
		if transport == TLS {
			e.listeners[transport] = tls.NewListener(e.listeners[transport], config)
		}
	}
	return nil
}

// serveStreams answers what comes over accepted connections, until their listener is closed.
func (e *Endpoint) serveStreams(server *sipgo.Server) {
	for transport, l := range e.listeners {
		serve := server.ServeTCP
		if transport == TLS {
			serve = server.ServeTLS
		}
		e.serving.Go(func() {
			if err := serve(l); !errors.Is(err, net.ErrClosed) {
				e.log.Error("sip socket failed", "transport", transport, "error", err)
			}
		})
	}
}

func (e *Endpoint) closeListeners() error {
	var failed []error
	for _, l := range e.listeners {
		failed = append(failed, l.Close())
	}
	return errors.Join(failed...)
}
