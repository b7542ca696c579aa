package wire

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// lookUpLimit is for the name of a next hop, which the ACK of a call waits for.
const lookUpLimit = 2 * time.Second

// Reach says where the requests of one call may go beside the proxy that it goes by. Whatever else the far end names, in a
// Contact or a Record-Route, they go to that proxy, which knows the way.
type Reach struct {
	Allows  func(netip.Addr) bool // next hops that the far end may name; nil: the proxy's own address alone
	Refused func(named string)    // told of one that is not used; nil: nobody
}

// choose returns the address that the far end named, if requests may go there, and else home, which is the proxy's. A name
// becomes one of its addresses that are allowed, as the next look-up might find others.
func (r Reach) choose(named, home string, transport Transport) (hop string, chosen bool) {
	host, port, err := net.SplitHostPort(named)
	homeHost := HostOf(home)
	switch {
	case err != nil:
	case strings.EqualFold(host, homeHost):
		return named, true
	default:
		for _, ip := range r.addresses(host, transport) {
			if r.admits(ip, homeHost) {
				return net.JoinHostPort(ip.String(), port), true
			}
		}
	}
	if r.Refused != nil {
		r.Refused(named)
	}
	return home, false
}

// Peer returns where the far end of a call is, by the source of its message. Anybody can write any source over UDP, so there
// one that the call may not reach is not believed.
func (r Reach) Peer(transport Transport, source, home string) netip.AddrPort {
	if !transport.Reliable() {
		r.Refused = nil
		source, _ = r.choose(source, home, transport)
	}
	peer, err := netip.ParseAddrPort(source)
	if err != nil {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(peer.Addr().Unmap(), peer.Port())
}

// addresses returns those of a host. A certificate is for a name, so over TLS names that the far end chose lead nowhere.
func (r Reach) addresses(host string, transport Transport) []netip.Addr {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip.Unmap()}
	}
	if r.Allows == nil || transport == TLS {
		return nil
	}
	// A dialog is made outside of any request's context, and its next hop is found once.
	ctx, cancel := context.WithTimeout(context.Background(), lookUpLimit)
	defer cancel()
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil
	}
	for i := range ips {
		ips[i] = ips[i].Unmap()
	}
	slices.SortStableFunc(ips, func(a, b netip.Addr) int { return a.BitLen() - b.BitLen() }) // IPv4 first
	return ips
}

// admits reports whether requests may go to an address, of a call whose proxy is at home.
func (r Reach) admits(ip netip.Addr, home string) bool {
	if at, err := netip.ParseAddr(home); err == nil && at.Unmap() == ip {
		return true
	}
	return r.Allows != nil && r.Allows(ip)
}
