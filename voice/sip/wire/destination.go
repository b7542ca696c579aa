package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"

	siplib "github.com/emiago/sipgo/sip"
)

// ErrNotReached means that something was kept from leaving for an address that nobody decided on.
var ErrNotReached = errors.New("the address is not one that requests may go to")

// destination is where a request may go: an address, or over connections whatever the name of its proxy leads to.
type destination struct{ at netip.AddrPort }

type destinationKey struct{}

// locate decides where a request goes, and has the dialer know. Names are the configuration's alone: those that far ends give
// became addresses when their dialog was made (see Reach). Over UDP a name becomes an address here.
func (e *Endpoint) locate(ctx context.Context, req *siplib.Request) (context.Context, netip.AddrPort, error) {
	host, port, err := net.SplitHostPort(req.Destination())
	if err != nil {
		return ctx, netip.AddrPort{}, fmt.Errorf("read destination: %w", err)
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return ctx, netip.AddrPort{}, fmt.Errorf("read destination: %w", err)
	}
	ip, err := netip.ParseAddr(host)
	to := netip.AddrPort{}
	if err == nil {
		to = netip.AddrPortFrom(ip.Unmap(), uint16(number))
	}
	if err != nil && !TransportOf(req).Reliable() {
		if to, err = e.lookUp(ctx, host, uint16(number), req.Recipient.Scheme); err != nil {
			return ctx, to, fmt.Errorf("look up %s: %w", host, err)
		}
		req.SetDestination(to.String())
	}
	return context.WithValue(ctx, destinationKey{}, destination{to}), to, nil
}

// lookUp finds an address of a host that our UDP socket can send to: that of its name, else of its service (RFC 3263).
func (e *Endpoint) lookUp(ctx context.Context, host string, port uint16, scheme string) (netip.AddrPort, error) {
	network := "ip6"
	if e.Addr().Addr().Is4() {
		network = "ip4"
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, network, host)
	if err == nil {
		return netip.AddrPortFrom(ips[0].Unmap(), port), nil
	}
	_, services, unserved := net.DefaultResolver.LookupSRV(ctx, scheme, "udp", host)
	if unserved != nil || len(services) == 0 {
		return netip.AddrPort{}, err
	}
	if ips, err = net.DefaultResolver.LookupNetIP(ctx, network, services[0].Target); err != nil {
		return netip.AddrPort{}, err
	}
	return netip.AddrPortFrom(ips[0].Unmap(), services[0].Port), nil
}

// newDialer returns what opens all connections: none but to where the request goes that needs one.
func (e *Endpoint) newDialer(local net.Addr) net.Dialer {
	return net.Dialer{
		Timeout: connectTimeout, LocalAddr: local,
		ControlContext: func(ctx context.Context, _, address string, _ syscall.RawConn) error {
			decided, known := ctx.Value(destinationKey{}).(destination)
			if known && (!decided.at.IsValid() || decided.at == addressOf(address)) {
				return nil
			}
			return e.refuse("connection", address)
		},
	}
}

func addressOf(text string) netip.AddrPort {
	at, err := netip.ParseAddrPort(text)
	if err != nil {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

// refuse counts something that was kept from leaving.
func (e *Endpoint) refuse(what, address string) error {
	if e.refused.Add(1) == 1 {
		e.log.Warn("something was kept from an address that nobody decided on; more are counted", "what", what, "address", address)
	}
	return fmt.Errorf("%w: %s", ErrNotReached, address)
}

// Refused returns how many messages and connections were kept from leaving for an address that nobody decided on.
func (e *Endpoint) Refused() uint64 { return e.refused.Load() }
