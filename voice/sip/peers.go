package sip

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"

	"github.com/callwright/callwright/voice/sip/wire"
)

// Peers is the set of addresses that may send us requests, like the proxies of a carrier. Its Admits is made for
// Config.Screen; registrars need not be in it, since a user agent admits those it is registered with. The zero value
// admits nobody. It may change while calls go on.
type Peers struct {
	mu       sync.RWMutex
	prefixes []netip.Prefix
	hosts    map[string][]netip.Addr
}

// Allow adds networks.
func (p *Peers) Allow(networks ...netip.Prefix) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range networks {
		p.prefixes = append(p.prefixes, n.Masked())
	}
}

// AllowHosts adds the addresses that hosts, with or without ports, have now. Called again it replaces them. A host whose
// look-up fails keeps the addresses it had.
func (p *Peers) AllowHosts(ctx context.Context, resolver *net.Resolver, hosts ...string) error {
	var failed []error
	for _, host := range hosts {
		host = wire.HostOf(host)
		addresses, err := resolver.LookupNetIP(ctx, "ip", host)
		if err != nil {
			failed = append(failed, fmt.Errorf("look up %s: %w", host, err))
			continue
		}
		p.mu.Lock()
		if p.hosts == nil {
			p.hosts = map[string][]netip.Addr{}
		}
		for i, a := range addresses {
			addresses[i] = a.Unmap()
		}
		p.hosts[host] = addresses
		p.mu.Unlock()
	}
	return errors.Join(failed...)
}

// Admits reports whether requests from source are welcome. Ports do not matter: carriers use many.
func (p *Peers) Admits(source netip.AddrPort) bool {
	ip := source.Addr().Unmap()
	p.mu.RLock()
	defer p.mu.RUnlock()
	if slices.ContainsFunc(p.prefixes, func(n netip.Prefix) bool { return n.Contains(ip) }) {
		return true
	}
	return p.named(ip)
}

// Named reports whether an address is one that a host of AllowHosts has.
func (p *Peers) Named(ip netip.Addr) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.named(ip.Unmap())
}

func (p *Peers) named(ip netip.Addr) bool {
	for _, addresses := range p.hosts {
		if slices.Contains(addresses, ip) {
			return true
		}
	}
	return false
}
