package gateways

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/callwright/callwright/voice/sip"
)

// Reasons why customers may not have calls sent to an address.
var (
	ErrCarrier = errors.New("the SIP URI leads to the carrier, which is asked for numbers alone: " +
		"name the number, such as +31612345678")
	ErrOwn          = errors.New("the address leads back to us: the call would come back")
	errCarrierProxy = errors.New("the SIP proxy is the carrier of this deployment, which would take your calls for the operator's")
)

// CheckHost returns why customers may not have calls sent to an address. The carrier knows us by our address and dials what it is
// sent at the operator's expense, in ways that the rules on destinations do not know, such as prefixes and short numbers.
// Networks that the operator allows to customers are theirs to call, as a telephone system among the peers is.
func (l *Gateway) CheckHost(address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	to = netip.AddrPortFrom(l.guard.Reached(to.Addr()), to.Port())
	switch {
	case to == l.UA.Addr():
		return ErrOwn
	case l.isTrunk(to), l.peers.Admits(to) && !l.guard.Opened(to.Addr()):
		return ErrCarrier
	}
	return nil
}

// isTrunk reports whether an address is where the trunk's proxy listens, which no allowed network opens.
func (l *Gateway) isTrunk(to netip.AddrPort) bool {
	if l.Trunk == nil {
		return false
	}
	host, port, err := net.SplitHostPort(WithSIPPort(l.Trunk.Proxy, l.Trunk.Transport == sip.TLS))
	return err == nil && port == strconv.Itoa(int(to.Port())) && (host == to.Addr().String() || l.peers.Named(to.Addr()))
}

// checkProxy is CheckHost for the proxy of a customer's SIP connection. One that bears the carrier's own name is the carrier's
// whatever address it has now: a name with many addresses shows others each time.
func (l *Gateway) checkProxy(host, address string) error {
	err := l.CheckHost(address)
	if errors.Is(err, ErrCarrier) || err == nil && l.Trunk != nil && l.isNamedAsTrunk(host, address) {
		return errCarrierProxy
	}
	return err
}

func (l *Gateway) isNamedAsTrunk(host, address string) bool {
	named, port, err := net.SplitHostPort(WithSIPPort(l.Trunk.Proxy, l.Trunk.Transport == sip.TLS))
	to, malformed := netip.ParseAddrPort(address)
	return err == nil && malformed == nil && strings.EqualFold(named, host) &&
		(port == strconv.Itoa(int(to.Port())) || !l.guard.Opened(to.Addr()))
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
