package rtp

import (
	"net/netip"
	"time"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
)

const (
	relearnAfter = time.Second // a source silent for this long may be replaced by another
	staleDepth   = 1000        // and in the first, when nobody waits
)

// receiver reads what the far end sends. It belongs to the clock.
type receiver struct {
	*state
	reporter *reporter
	looked   bool
	lookAt   time.Time // nothing can be expected before
	source   netip.AddrPort
	sourceAt time.Duration
}

// look takes what has come since the last look. After a packet there will be none for a frame, and a look is a system call.
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
		r.lookAt = came.Add(audio.FrameDuration)
		r.read(a.data, a.from, came.Sub(r.stream.Epoch()))
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

// read takes one datagram and when it came.
func (r *receiver) read(datagram []byte, from netip.AddrPort, at time.Duration) {
	route := r.route.Load()
	if isRTCP(datagram) {
		if !r.reporter.take(datagram, from, route.Cipher.shared(), at) {
			r.stream.Counts.Strays.Add(1)
		}
		return
	}
	if r.isUnknown(route, from, at) || !r.open(datagram, route.Cipher) {
		r.stream.Counts.Strays.Add(1)
		return
	}
	r.trust(from, at)
	p := &r.scratch.came
	r.reporter.in.count(p.SSRC, p.SequenceNumber)
	r.stream.Receive(p, at, r.scratch.media)
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

// isUnknown reports whether a source is not the far end. Once the far end has sent something, nobody but the address that it
// named is believed until it falls silent.
func (r *receiver) isUnknown(route *Route, from netip.AddrPort, at time.Duration) bool {
	return r.learned.Load() != nil && from != r.source && from != route.Remote && at-r.sourceAt < relearnAfter
}

// trust learns where the far end really sends from.
func (r *receiver) trust(from netip.AddrPort, at time.Duration) {
	if r.learned.Load() == nil || from != r.source {
		r.source = from
		r.learned.Store(new(from))
	}
	r.sourceAt = at
}
