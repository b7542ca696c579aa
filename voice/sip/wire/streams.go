package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/emiago/sipgo"
)

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
		e.listeners[transport] = newListener(bound, e.welcome, e.isGuest, e.log)
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
