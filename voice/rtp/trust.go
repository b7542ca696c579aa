package rtp

import (
	"net/netip"
	"slices"
)

// Trust is what a session believes of its far end's addresses. Its zero value believes what the far end names.
type Trust struct {
	Peer     netip.Addr            // that its signalling comes from; zero: not known
	Allows   func(netip.Addr) bool // addresses that it may name; nil: public ones, and any where Peer is none of them
	Networks []netip.Prefix        // that its media comes from, whatever it names
	Refused  func(netip.AddrPort)  // told of an address that it may not name; nil: nobody
}

// allows reports whether packets may go to an address that the far end names. The one that it signals from gets packets anyway.
func (t *Trust) allows(ip netip.Addr) bool {
	switch {
	case ip == t.Peer:
		return true
	case t.Allows != nil:
		return t.Allows(ip)
	case isPublic(t.Peer):
		return isPublic(ip)
	}
	return !ip.IsMulticast() && (isNear(t.Peer) || !isNear(ip))
}

// isNear reports whether an address means something else on each machine, or on each of its networks.
func isNear(ip netip.Addr) bool { return !ip.IsValid() || ip.IsLoopback() || ip.IsLinkLocalUnicast() }

// expects reports whether media may come from an address that was not named: from where the far end signals, as telephones
// behind a NAT do, and from its known networks. What is authenticated may come from anywhere that packets may go to.
func (t *Trust) expects(ip netip.Addr, authenticated bool) bool {
	return ip == t.Peer || slices.ContainsFunc(t.Networks, func(n netip.Prefix) bool { return n.Contains(ip) }) ||
		authenticated && t.allows(ip)
}

// confine returns the route without addresses that packets may not go to. A telephone behind a NAT names such, and its packets
// show where it is; so does somebody who wants ours to go where theirs cannot.
func (t *Trust) confine(r *Route) *Route {
	confined := *r
	confined.named = r.Remote
	for _, named := range []*netip.AddrPort{&confined.Remote, &confined.Control} {
		if !isDestination(*named) || t.allows(named.Addr()) {
			continue
		}
		if t.Refused != nil {
			t.Refused(*named)
		}
		*named = netip.AddrPort{}
	}
	return &confined
}
