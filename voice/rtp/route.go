package rtp

import (
	"net/netip"

	"github.com/callwright/callwright/voice/media"
)

// Route is how media flows at one moment. It is immutable: a new agreement makes a new one, and the clock swaps over between
// two packets.
type Route struct {
	media.Formats
	Remote  netip.AddrPort // where the far end asked for media
	Control netip.AddrPort // where the far end asked for reports
	Mux     bool           // reports share the port of the media (RFC 5761)
	Cipher  *Cipher        // nil: nothing is encrypted
}

// withoutPrivate returns the route without addresses that are none of the Internet's.
func (r *Route) withoutPrivate() *Route {
	public := *r
	if !isPublic(r.Remote.Addr()) {
		public.Remote = netip.AddrPort{}
	}
	if !isPublic(r.Control.Addr()) {
		public.Control = netip.AddrPort{}
	}
	return &public
}
