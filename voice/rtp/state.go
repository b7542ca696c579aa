package rtp

import (
	"net/netip"
	"sync/atomic"

	"github.com/pion/rtp"

	"github.com/callwright/callwright/voice/media"
)

// lookDepth is how many datagrams are taken in one look, so that a flood on one call holds up no other.
const lookDepth = 16

// state is what both directions of a session share.
type state struct {
	stream  *media.Stream
	sockets sockets
	scratch *scratch
	ssrc    uint32 // of what we send
	route   atomic.Pointer[Route]
	learned atomic.Pointer[netip.AddrPort] // where packets really come from; nil before the first
	trust   Trust
}

// destination returns where packets go now: where they come from, which is the only address that works through a NAT, or
// where the far end asked for them.
func (s *state) destination(r *Route) (netip.AddrPort, bool) {
	if learned := s.learned.Load(); learned != nil {
		return *learned, true
	}
	return r.Remote, isDestination(r.Remote)
}

// knows reports whether an address is the one that media comes from, or is to come from.
func (s *state) knows(ip netip.Addr) bool {
	if learned := s.learned.Load(); learned != nil {
		return learned.Addr() == ip
	}
	return s.route.Load().Remote.Addr() == ip
}

// scratch is the room in which the packets of all sessions of a clock are handled one after the other.
type scratch struct {
	media   *media.Scratch
	arrival *arrival
	plain   []byte     // the arrival without its encryption
	header  rtp.Header // of what is encrypted or decrypted
	came    rtp.Packet
	packet  [media.PacketLen]byte
	sealed  []byte
}

func newScratch() *scratch {
	return &scratch{
		media: media.NewScratch(), arrival: newArrival(),
		plain: make([]byte, 0, media.PacketLen), sealed: make([]byte, 0, media.PacketLen),
	}
}
