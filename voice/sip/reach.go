package sip

import (
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/callwright/callwright/voice/rtp"
	"github.com/callwright/callwright/voice/sip/wire"
)

// Reach says where the packets of a call may go, beside the proxy that it goes by. What else its far end names is not used:
// requests go to the proxy, and sound to nobody before some comes from there.
type Reach struct {
	Signalling func(netip.Addr) bool // next hops; nil: the proxy's own address alone
	Media      func(netip.Addr) bool // addresses for sound; nil: public ones, and any where the proxy has a private one
	Networks   []netip.Prefix        // that sound may come from although they were not named
}

// Refusals counts what far ends asked for and did not get.
type Refusals struct {
	NextHops uint64 // addresses that they named for requests
	Media    uint64 // addresses that they named for sound
	Messages uint64 // requests whose lines or addresses were none
	Packets  uint64 // messages and connections that were about to leave for an address that nobody had decided on
}

type refusals struct{ nextHops, media, messages atomic.Uint64 }

// Refusals returns a snapshot of what was refused since the start.
func (ua *UA) Refusals() Refusals {
	return Refusals{
		NextHops: ua.refused.nextHops.Load(), Media: ua.refused.media.Load(), Messages: ua.refused.messages.Load(),
		Packets: ua.wire.Refused(),
	}
}

// confinement is a Reach at work in one call: it counts what is refused, and logs it once.
type confinement struct {
	Reach
	ua     *UA
	callID string
	logged sync.Once
	count  atomic.Uint64
}

func (ua *UA) confine(callID string, reach Reach) *confinement {
	return &confinement{Reach: reach, ua: ua, callID: callID}
}

func (c *confinement) refuse(of *atomic.Uint64, what, address string) {
	of.Add(1)
	c.count.Add(1)
	c.logged.Do(func() {
		c.ua.log.Info("far end named an address that nothing is sent to", "call_id", c.callID, "for", what, "address", address)
	})
}

// hops confines the requests of the call.
func (c *confinement) hops() wire.Reach {
	return wire.Reach{Allows: c.Signalling, Refused: func(named string) { c.refuse(&c.ua.refused.nextHops, "requests", named) }}
}

// trust confines the sound of the call.
func (c *confinement) trust(peer netip.Addr) rtp.Trust {
	return rtp.Trust{
		Peer: peer, Allows: c.Media, Networks: c.Networks,
		Refused: func(named netip.AddrPort) { c.refuse(&c.ua.refused.media, "sound", named.String()) },
	}
}
