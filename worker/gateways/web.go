package gateways

import (
	"log/slog"
	"net/netip"

	"github.com/callwright/callwright/voice/webrtc"
)

// Web is where browsers reach this process.
type Web struct {
	Listen   string     // address and UDP port of all web calls; empty: none
	TCP      string     // address and port for networks without UDP; empty: none
	PublicIP netip.Addr // at which browsers reach this machine; zero: its own address
	Beside   bool       // see webrtc.Config
}

// openWeb opens the ports of web calls.
func (l *Set) openWeb(cfg *Web, logger *slog.Logger) (err error) {
	l.Web, err = webrtc.Listen(webrtc.Config{Listen: cfg.Listen, TCP: cfg.TCP, PublicIP: cfg.PublicIP,
		Beside: cfg.Beside, Clocks: l.Clocks, Logger: logger})
	if err == nil {
		l.close = append(l.close, l.Web.Close)
	}
	return err
}
