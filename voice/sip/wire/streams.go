package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/emiago/sipgo"

	"github.com/callwright/callwright/voice/accept"
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
		e.listeners[transport] = accept.New(bound, accept.Rules{Of: "sip", Most: e.most, Log: e.log})
		if transport == TLS {
			e.listeners[transport] = tls.NewListener(e.listeners[transport], config)
		}
		e.listeners[transport] = readers{e.listeners[transport], e.isGuest}
	}
	return nil
}

// maxOfGuest is how many connections a source has that is welcome as the far end of a live call or as a registrar alone: one
// customer's provider could take those of the carrier.
const maxOfGuest = 16

// most returns how many connections a source may have.
func (e *Endpoint) most(source netip.AddrPort) int {
	switch {
	case !e.welcome(source):
		return 0
	case e.isGuest(source):
		return maxOfGuest
	}
	return accept.MaxConnections
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
