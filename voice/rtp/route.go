package rtp

import (
	"net/netip"
	"slices"

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

	named netip.AddrPort // Remote before it was confined
}

// takes reports whether packets of a payload type were agreed on.
func (r *Route) takes(payload uint8) bool {
	return payload == r.Events || payload == r.Text ||
		slices.ContainsFunc(r.Accept, func(f media.Format) bool { return f.Payload == payload })
}
