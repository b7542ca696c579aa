package gateways

import (
	"errors"
	"net"
	"net/netip"
	"strings"

	"github.com/callwright/callwright/voice/sip"
)

// Reasons why customers may not have calls sent to an address.
var (
	ErrCarrier = errors.New("the SIP URI leads to the carrier, which is asked for numbers alone: name the number, such as +31612345678")
	ErrOwn     = errors.New("the SIP URI leads back to us: the call would come back")
)

// CheckHost returns why customers may not have calls sent to an address. The carrier knows us by our address and dials what it is
// sent at the operator's expense, in ways that the rules on destinations do not know, such as prefixes and short numbers.
// Networks that the operator allows to customers are theirs to call, as a telephone system among the peers is.
func (l *Gateway) CheckHost(address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	to = netip.AddrPortFrom(to.Addr().Unmap(), to.Port())
	switch {
	case to == l.UA.Addr():
		return ErrOwn
	case l.Trunk != nil && WithSIPPort(l.Trunk.Proxy, l.Trunk.Transport == sip.TLS) == to.String(),
		l.peers.Admits(to) && !l.guard.Opened(to.Addr()):
		return ErrCarrier
	}
	return nil
}

// Trusts reports whether what a call says of its number is to be believed. Registrars may call through their registrations
// alone.
func (l *Gateway) Trusts(in *sip.Inbound) bool {
	return l.Simulated || in.Token != "" || l.peers.Admits(in.Source)
}

// WithSIPPort returns a host with a port: the usual one where none is named.
func WithSIPPort(host string, secure bool) string {
	if strings.Contains(host, ":") && !strings.HasSuffix(host, "]") {
		return host
	}
	port := "5060"
	if secure {
		port = "5061"
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), port)
}
