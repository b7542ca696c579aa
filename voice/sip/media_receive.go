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
	maxFill      = 3           // lost packets made up for with silence; more is what starveAfter is for
	staleWait    = time.Millisecond
)

// receiver is the state of the far end's RTP stream. One goroutine owns it.
type receiver struct {
	*media
	packet   rtp.Packet
	order    reorder
	keys     eventReader
	text     textReader
	tones    audio.KeyDetector
	heardKey []byte
	pcm      []int16 // sound not yet cut into frames

	source   netip.AddrPort
	sourceAt time.Duration
	transit  int64   // of the previous packet of sound, in samples
	jitter   float64 // RFC 3550 section 6.4.1, in samples
}

func newReceiver(m *media) *receiver {
	r := &receiver{media: m, pcm: make([]int16, 0, 8*audio.FrameLen)}
	r.order.deliver = r.deliver
	return r
}

func (m *media) receiveLoop() {
	r := newReceiver(m)
	var buf [packetLen]byte
	r.discardStale(buf[:])
	for {
		n, from, err := m.conn.ReadFromUDPAddrPort(buf[:])
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
	if err := r.conn.SetReadDeadline(time.Now().Add(staleWait)); err != nil {
		return
	}
	for range 1000 { // no flood can hold up the call
		if _, _, err := r.conn.ReadFromUDPAddrPort(buf); err != nil {
			break
		}
	}
	if err := r.conn.SetReadDeadline(time.Time{}); err != nil {
		return
	}
}

// read takes one datagram.
func (r *receiver) read(datagram []byte, from netip.AddrPort) {
	if isRTCP(datagram) || r.packet.Unmarshal(datagram) != nil || r.packet.Version != 2 {
		r.counts.strays.Add(1)
		return
	}
	if !r.trust(from) {
		r.counts.strays.Add(1)
		return
	}
	r.heard.Store(int64(r.now()))
	r.counts.packetsIn.Add(1)
	if _, sound := r.route.Load().law(r.packet.PayloadType); sound {
		r.measureJitter()
	}
	if !r.order.push(&r.packet) {
		r.counts.late.Add(1)
	}
}

// isRTCP tells control packets apart when they share the port (RFC 5761 section 4).
func isRTCP(datagram []byte) bool {
	return len(datagram) > 1 && datagram[1] >= 192 && datagram[1] <= 223
}

// trust learns where the far end really sends from, and then believes nobody else until it falls silent.
func (r *receiver) trust(from netip.AddrPort) bool {
	learned, now := r.learned.Load(), r.now()
	if learned != nil && from != r.source && now-r.sourceAt < relearnAfter {
		return false
	}
	if learned == nil || from != r.source {
		r.source = from
		r.learned.Store(new(from))
	}
	r.sourceAt = now
	return true
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
		r.fill(missing)
		r.pcm = law.Decode(r.pcm, p.data)
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

// fill makes up for a few lost packets, so that words keep their length.
func (r *receiver) fill(missing int) {
	if missing > maxFill {
		return
	}
	for range missing {
		r.pcm = append(r.pcm, silence[:]...)
	}
}

// cut hands on whole frames and keeps the rest, since a far end may send packets of any length.
func (r *receiver) cut(route *route) {
	rest := r.pcm
	for len(rest) >= audio.FrameLen {
		frame := rest[:audio.FrameLen]
		rest = rest[audio.FrameLen:]
		r.sounded.Store(int64(r.now()))
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
