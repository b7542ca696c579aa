package gateways

import (
	"net/netip"
	"slices"

	"github.com/callwright/callwright/voice/sip"
)

// carrierReach is how far the packets of a call of the operator's carrier go: to the addresses that may send us calls, and with
// its sound to the carrier's media networks, where the operator has named them.
func (l *Gateway) carrierReach() sip.Reach {
	if l.Simulated {
		return sip.Reach{}
	}
	reach := sip.Reach{Signalling: func(ip netip.Addr) bool { return l.peers.Admits(netip.AddrPortFrom(ip, 0)) }, Networks: l.media}
	if len(l.media) > 0 {
		reach.Media = func(ip netip.Addr) bool {
			return slices.ContainsFunc(l.media, func(n netip.Prefix) bool { return n.Contains(ip) })
		}
	}
	return reach
}

// CustomerReach is how far the packets of a call of a customer's SIP connection go: to its proxy, which was checked, and with its
// sound where the guard allows.
func (l *Gateway) CustomerReach() sip.Reach { return sip.Reach{Media: l.guard.Allows} }

// ReachOf is how far the packets of a call go that came in.
func (l *Gateway) ReachOf(in *sip.Inbound) sip.Reach {
	if in.Token != "" && !l.Simulated {
		return l.CustomerReach()
	}
	return l.carrierReach()
}
