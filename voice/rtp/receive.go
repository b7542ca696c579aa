package rtp

import (
	"net/netip"
	"time"

	"github.com/pion/rtp"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
)

const staleDepth = 1000 // datagrams taken in the first look, when nobody waits

// receiver reads what the far end sends. It belongs to the clock.
type receiver struct {
	*state
	reporter *reporter
	looked   bool
	lookAt   time.Time // nothing can be expected before
	source   netip.AddrPort
}

// look takes what has come since the last look. After a packet of the far end there will be none for a frame, and a look is a
// system call. What others send says nothing of when its packets come: they would wait behind it until the socket is full.
func (r *receiver) look(due time.Time) {
	if due.Before(r.lookAt) {
		return
	}
	a := r.scratch.arrival
	if !r.looked {
		r.looked = true
		r.discardStale(a)
	}
	for range lookDepth {
		if !r.sockets.rtp.receive(a) {
			return
		}
		came := time.Now().Add(-a.waited)
		if !r.read(a.data, a.from, came.Sub(r.stream.Epoch())) {
			continue
		}
		r.lookAt = came.Add(audio.FrameDuration)
		if a.waited < media.ClockStep { // it came after the last look, and hardly with another
			return
		}
	}
}

// discardStale throws away what came before the call was answered: ringing tones and announcements.
func (r *receiver) discardStale(a *arrival) {
	for range staleDepth {
		if !r.sockets.rtp.receive(a) {
			return
		}
	}
}

// read takes one datagram and when it came. It returns false for what is no packet of the far end.
func (r *receiver) read(datagram []byte, from netip.AddrPort, at time.Duration) bool {
	route := r.route.Load()
	if isRTCP(datagram) {
		if !r.reporter.take(datagram, from, route.Cipher.shared(), at) {
			r.stream.Counts.Strays.Add(1)
		}
		return false
	}
	p := &r.scratch.came
	if !r.mayCome(route, from.Addr()) || !r.open(datagram, route.Cipher) || !r.believes(route, from, p) {
		r.stream.Counts.Strays.Add(1)
		return false
	}
	if r.learned.Load() == nil || from != r.source {
		r.source = from
		r.learned.Store(new(from))
	}
	r.reporter.in.count(p.SSRC, p.SequenceNumber)
	r.stream.Receive(p, at, r.scratch.media)
	return true
}

// isRTCP tells control packets apart when they share the port (RFC 5761 section 4).
func isRTCP(datagram []byte) bool {
	return len(datagram) > 1 && datagram[1] >= 192 && datagram[1] <= 223
}

// open reads a datagram, decrypted first where that was agreed on.
func (r *receiver) open(datagram []byte, c *Cipher) bool {
	scratch := r.scratch
	if c != nil {
		plain, err := c.in.DecryptRTP(scratch.plain[:0], datagram, &scratch.header)
		if err != nil {
			return false
		}
		scratch.plain, datagram = plain, plain
	}
	return scratch.came.Unmarshal(datagram) == nil && scratch.came.Version == 2
}

// mayCome reports whether the far end may send from an address: the one that it named, and the one that was learned. Behind a
// NAT that is learned once; only the signalling makes it be learned anew, however long the far end is silent.
func (r *receiver) mayCome(route *Route, ip netip.Addr) bool {
	switch {
	case ip == route.Remote.Addr():
		return true
	case r.learned.Load() != nil:
		return ip == r.source.Addr()
	}
	return r.trust.expects(ip, route.Cipher != nil)
}

// believes reports whether a packet shows where the far end sends from. From a port that is neither named nor known it has to
// be of the stream that is heard, or of the kind that was agreed on if none is.
func (r *receiver) believes(route *Route, from netip.AddrPort, p *rtp.Packet) bool {
	heard := r.learned.Load() != nil
	switch {
	case from == route.Remote, heard && from == r.source:
		return true
	case heard && p.SSRC != r.reporter.in.ssrc:
		return false
	}
	return route.takes(p.PayloadType)
}
