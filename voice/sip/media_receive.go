package sip

import (
	"errors"
	"net"
	"net/netip"
	"time"

	"github.com/pion/rtp"

	"github.com/callwright/callwright/voice/audio"
)

const (
	relearnAfter = time.Second // a source silent for this long may be replaced by another
	maxFill      = 3           // lost frames made up for; more is what starveAfter is for
	staleWait    = time.Millisecond
)

// receiver is the state of the far end's RTP stream. One goroutine owns it.
type receiver struct {
	*media
	packet   rtp.Packet
	plain    []byte     // the datagram without its encryption
	header   rtp.Header // of the datagram, while it is decrypted
	order    reorder
	keys     eventReader
	text     textReader
	tones    audio.KeyDetector
	heardKey []byte
	pcm      []int16 // sound not yet cut into frames
	gaps     audio.Concealer
	due      uint32 // timestamp that the next packet of sound has if nothing is lost

	source   netip.AddrPort
	sourceAt time.Duration
	transit  int64   // of the previous packet of sound, in samples
	jitter   float64 // RFC 3550 section 6.4.1, in samples
}

func newReceiver(m *media) *receiver {
	r := &receiver{media: m, pcm: make([]int16, 0, 8*audio.FrameLen), plain: make([]byte, 0, packetLen)}
	r.order.deliver = r.deliver
	return r
}

func (m *media) receiveLoop() {
	r := newReceiver(m)
	var buf [packetLen]byte
	r.discardStale(buf[:])
	for {
		n, from, err := m.ports.rtp.ReadFromUDPAddrPort(buf[:])
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil { // an ICMP error says nothing that checkLife would not find out
			r.read(buf[:n], netip.AddrPortFrom(from.Addr().Unmap(), from.Port()))
		}
	}
}

// discardStale throws away what came before the call was answered: ringing tones and announcements.
func (r *receiver) discardStale(buf []byte) {
	if err := r.ports.rtp.SetReadDeadline(time.Now().Add(staleWait)); err != nil {
		return
	}
	for range 1000 { // no flood can hold up the call
		if _, _, err := r.ports.rtp.ReadFromUDPAddrPort(buf); err != nil {
			break
		}
	}
	if err := r.ports.rtp.SetReadDeadline(time.Time{}); err != nil {
		return
	}
}

// read takes one datagram.
func (r *receiver) read(datagram []byte, from netip.AddrPort) {
	route := r.route.Load()
	if isRTCP(datagram) {
		if !r.takeReport(datagram, from, route.guard.shared()) {
			r.counts.strays.Add(1)
		}
		return
	}
	if r.isStranger(from) || !r.open(datagram, route.guard) {
		r.counts.strays.Add(1)
		return
	}
	r.trust(from)
	r.heard.Store(int64(r.now()))
	r.counts.packetsIn.Add(1)
	r.reports.mu.Lock()
	r.reports.in.hear(r.packet.SSRC, r.packet.SequenceNumber)
	r.reports.mu.Unlock()
	if _, sound := route.law(r.packet.PayloadType); sound {
		r.measureJitter()
		r.sounded.Store(int64(r.now()))
	}
	if !r.order.push(&r.packet) {
		r.counts.late.Add(1)
	}
}

// isRTCP tells control packets apart when they share the port (RFC 5761 section 4).
func isRTCP(datagram []byte) bool {
	return len(datagram) > 1 && datagram[1] >= 192 && datagram[1] <= 223
}

// open reads a datagram, decrypted first where that was agreed, into r.packet.
func (r *receiver) open(datagram []byte, g *guard) bool {
	if g != nil {
		plain, err := g.in.DecryptRTP(r.plain[:0], datagram, &r.header)
		if err != nil {
			return false
		}
		r.plain, datagram = plain, plain
	}
	return r.packet.Unmarshal(datagram) == nil && r.packet.Version == 2
}

// isStranger tells whether somebody else is the far end. Once it has sent something, nobody else is believed until it
// falls silent.
func (r *receiver) isStranger(from netip.AddrPort) bool {
	return r.learned.Load() != nil && from != r.source && r.now()-r.sourceAt < relearnAfter
}

// trust learns where the far end really sends from.
func (r *receiver) trust(from netip.AddrPort) {
	if r.learned.Load() == nil || from != r.source {
		r.source = from
		r.learned.Store(new(from))
	}
	r.sourceAt = r.now()
}

func (r *receiver) measureJitter() {
	transit := int64(audio.Samples(r.now())) - int64(r.packet.Timestamp)
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
		if heard := int(r.starved.Swap(0)); missing > 0 {
			r.fill(int(int32(p.timestamp-r.due)) - heard*audio.FrameLen)
		}
		r.pcm = law.Decode(r.pcm, p.data)
		r.due = p.timestamp + uint32(len(p.data))
		if len(r.pcm) >= audio.FrameLen {
			r.gaps.Heard(r.pcm[len(r.pcm)-audio.FrameLen:])
		}
		r.cut(route)
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
func (r *receiver) fill(samples int) {
	if samples > maxFill*audio.FrameLen {
		return
	}
	for samples > 0 {
		before := len(r.pcm)
		r.pcm = r.gaps.Conceal(r.pcm)
		r.pcm = r.pcm[:min(before+samples, len(r.pcm))]
		samples -= audio.FrameLen
		r.counts.concealed.Add(1)
	}
}

// cut hands on whole frames and keeps the rest, since a far end may send packets of any length.
func (r *receiver) cut(route *route) {
	rest := r.pcm
	for len(rest) >= audio.FrameLen {
		frame := rest[:audio.FrameLen]
		rest = rest[audio.FrameLen:]
		r.tape.hear(frame)
		r.inbox.sound(frame)
		if route.events == noPayload {
			r.listenForKeys(frame)
		}
	}
	r.pcm = r.pcm[:copy(r.pcm, rest)]
}

// listenForKeys hears the keys of a far end that sends them as tones.
func (r *receiver) listenForKeys(frame []int16) {
	r.heardKey = r.tones.Push(r.heardKey[:0], frame)
	for _, key := range r.heardKey {
		r.inbox.key(key)
	}
}
