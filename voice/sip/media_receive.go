package sip

import (
	"net/netip"
	"time"

	"github.com/callwright/callwright/voice/audio"
)

const (
	relearnAfter = time.Second // a source silent for this long may be replaced by another
	maxFill      = 3           // lost frames made up for; more is what starveAfter is for
	lookDepth    = 16          // datagrams taken in one look, so that a flood on one call holds up no other
	staleDepth   = 1000        // and in the first, when nobody waits
)

// receiver is the state of the far end's RTP stream. It belongs to the clock.
type receiver struct {
	*media
	bench    *bench
	looked   bool
	order    reorder
	keys     eventReader
	text     textReader
	tones    audio.KeyDetector
	heardKey []byte
	rest     []int16 // sound too short for a frame
	gaps     audio.Concealer
	due      uint32 // timestamp that the next packet of sound has if nothing is lost

	source   netip.AddrPort
	sourceAt time.Duration
	transit  int64   // of the previous packet of sound, in samples
	jitter   float64 // RFC 3550 section 6.4.1, in samples
}

func newReceiver(m *media) *receiver {
	r := &receiver{media: m, bench: m.clock.bench}
	r.order.deliver = r.deliver
	return r
}

// look takes what has come since the last look. After a packet there will be none for a frame, and a look is a system call.
func (r *receiver) look() {
	a := r.bench.arrival
	if !r.looked {
		r.looked = true
		r.discardStale(a)
	}
	for range lookDepth {
		if !r.ports.rtp.receive(a) {
			return
		}
		came := time.Now().Add(-a.waited)
		r.lookAt = came.Add(audio.FrameDuration)
		r.read(a.data, a.from, came.Sub(r.epoch))
		if a.waited < clockStep { // it came after the last look, and hardly with another
			return
		}
	}
}

// discardStale throws away what came before the call was answered: ringing tones and announcements.
func (r *receiver) discardStale(a *arrival) {
	for range staleDepth {
		if !r.ports.rtp.receive(a) {
			return
		}
	}
}

// read takes one datagram and when it came.
func (r *receiver) read(datagram []byte, from netip.AddrPort, at time.Duration) {
	route := r.route.Load()
	if isRTCP(datagram) {
		if !r.takeReport(datagram, from, route.guard.shared(), at) {
			r.counts.strays.Add(1)
		}
		return
	}
	if r.isStranger(route, from, at) || !r.open(datagram, route.guard) {
		r.counts.strays.Add(1)
		return
	}
	r.trust(from, at)
	r.heard.Store(int64(at))
	r.counts.packetsIn.Add(1)
	p := &r.bench.came
	r.reports.in.hear(p.SSRC, p.SequenceNumber)
	if _, sound := route.law(p.PayloadType); sound {
		r.measureJitter(p.Timestamp, at)
		r.sounded.Store(int64(at))
	}
	if !r.order.push(p) {
		r.counts.late.Add(1)
	}
}

// isRTCP tells control packets apart when they share the port (RFC 5761 section 4).
func isRTCP(datagram []byte) bool {
	return len(datagram) > 1 && datagram[1] >= 192 && datagram[1] <= 223
}

// open reads a datagram, decrypted first where that was agreed.
func (r *receiver) open(datagram []byte, g *guard) bool {
	b := r.bench
	if g != nil {
		plain, err := g.in.DecryptRTP(b.plain[:0], datagram, &b.header)
		if err != nil {
			return false
		}
		b.plain, datagram = plain, plain
	}
	return b.came.Unmarshal(datagram) == nil && b.came.Version == 2
}

// isStranger tells whether somebody else is the far end. Once it has sent something, nobody but the address that it named
// is believed until it falls silent.
func (r *receiver) isStranger(route *route, from netip.AddrPort, at time.Duration) bool {
	return r.learned.Load() != nil && from != r.source && from != route.remote && at-r.sourceAt < relearnAfter
}

// trust learns where the far end really sends from.
func (r *receiver) trust(from netip.AddrPort, at time.Duration) {
	if r.learned.Load() == nil || from != r.source {
		r.source = from
		r.learned.Store(new(from))
	}
	r.sourceAt = at
}

func (r *receiver) measureJitter(timestamp uint32, at time.Duration) {
	transit := int64(audio.Samples(at)) - int64(timestamp)
	if r.counts.packetsIn.Load() > 1 {
		if d := float64(int32(transit - r.transit)); d < audio.Rate && d > -audio.Rate { // else a new stream
			r.jitter += (max(d, -d) - r.jitter) / 16
		}
	}
	r.transit = transit
	r.counts.jitter.Store(int64(audio.Duration(int(r.jitter*1000)) / 1000))
}

// deliver reads the packets in their right order.
func (r *receiver) deliver(p *packet, missing int) {
	r.counts.lost.Add(uint64(missing))
	route := r.route.Load()
	if !route.expects {
		return
	}
	law, sound := route.law(p.payload)
	switch {
	case sound:
		pcm := r.bench.pcm[:copy(r.bench.pcm[:], r.rest)]
		if heard := int(r.starved.Swap(0)); missing > 0 {
			pcm = r.fill(pcm, int(int32(p.timestamp-r.due))-heard*audio.FrameLen)
		}
		pcm = law.Decode(pcm, p.data)
		r.due = p.timestamp + uint32(len(p.data))
		if len(pcm) >= audio.FrameLen {
			r.gaps.Heard(pcm[len(pcm)-audio.FrameLen:])
		}
		r.rest = append(r.rest[:0], r.cut(pcm, route)...)
	case p.payload == route.events:
		if key := r.keys.press(p.data, p.timestamp); key != 0 {
			r.inbox.key(key)
		}
	case p.payload == route.text:
		if text := r.text.read(p.data); text != "" {
			r.inbox.caption(text)
		}
	}
}

// fill makes up for a short gap, so that words keep their length. What was heard as silence already is not heard again.
func (r *receiver) fill(pcm []int16, samples int) []int16 {
	if samples > maxFill*audio.FrameLen {
		return pcm
	}
	for samples > 0 {
		before := len(pcm)
		pcm = r.gaps.Conceal(pcm)
		pcm = pcm[:min(before+samples, len(pcm))]
		samples -= audio.FrameLen
		r.counts.concealed.Add(1)
	}
	return pcm
}

// cut hands on whole frames and returns the rest, since a far end may send packets of any length.
func (r *receiver) cut(pcm []int16, route *route) (rest []int16) {
	for len(pcm) >= audio.FrameLen {
		frame := pcm[:audio.FrameLen]
		pcm = pcm[audio.FrameLen:]
		r.tape.hear(frame)
		r.inbox.sound(frame)
		if route.events == noPayload {
			r.listenForKeys(frame)
		}
	}
	return pcm
}

// listenForKeys hears the keys of a far end that sends them as tones.
func (r *receiver) listenForKeys(frame []int16) {
	r.heardKey = r.tones.Push(r.heardKey[:0], frame)
	for _, key := range r.heardKey {
		r.inbox.key(key)
	}
}
