package media

import "github.com/pion/rtp"

const (
	reorderDepth = 4 // packets that may wait for one that is missing: 80 ms
	reorderSlots = 8 // more than may wait, and a power of two so that slots stay in step when sequence numbers wrap
)

// MaxSequenceJump is how far a sequence number may be off within one stream; one further off begins another.
const MaxSequenceJump = 100

// packet is an RTP packet as far as we read it.
type packet struct {
	sequence  uint16
	timestamp uint32
	payload   uint8 // payload type
	data      []byte
	used      bool
}

// receiveBuffer hands RTP packets on in the order of their sequence numbers. It waits for a missing packet until
// reorderDepth later ones have come. It allocates nothing once every slot has held a packet.
type receiveBuffer struct {
	started bool
	ssrc    uint32
	next    uint16
	held    int
	missing int                          // packets given up on since the last delivery
	slots   *[reorderSlots]packet        // nil: none was needed
	passing packet                       // one that needs no slot
	deliver func(p *packet, missing int) // how many were lost just before p; p.data is reused after the call
}

// push takes one packet and reports whether it came in time.
func (b *receiveBuffer) push(p *rtp.Packet) (ok bool) {
	ahead := int(int16(p.SequenceNumber - b.next))
	if !b.started || p.SSRC != b.ssrc || ahead > MaxSequenceJump || ahead < -MaxSequenceJump {
		b.restart(p)
		ahead = 0
	}
	if ahead < 0 {
		return false
	}
	if ahead == 0 && b.held == 0 { // as on most routes always: it is not even copied
		b.next++
		b.passing = packet{sequence: p.SequenceNumber, timestamp: p.Timestamp, payload: p.PayloadType, data: p.Payload}
		b.hand(&b.passing)
		b.passing.data = nil
		return true
	}
	if b.slots == nil {
		b.slots = new([reorderSlots]packet)
	}
	for ahead > reorderDepth { // the packets held are worth more than the ones still hoped for
		ahead -= b.advance()
	}
	slot := &b.slots[p.SequenceNumber%reorderSlots]
	if slot.used {
		return false
	}
	*slot = packet{p.SequenceNumber, p.Timestamp, p.PayloadType, append(slot.data[:0], p.Payload...), true}
	b.held++
	b.release()
	if b.held == reorderDepth {
		b.advance()
	}
	return true
}

// restart hands on what is held and follows the stream that p belongs to.
func (b *receiveBuffer) restart(p *rtp.Packet) {
	for b.held > 0 {
		b.advance()
	}
	b.started, b.ssrc, b.next, b.missing = true, p.SSRC, p.SequenceNumber, 0
}

// advance gives up on the packets missing before the first one held and hands on that one and its successors. It
// returns by how much the expected sequence number grew.
func (b *receiveBuffer) advance() (steps int) {
	from := b.next
	for {
		if b.slots[b.next%reorderSlots].used {
			b.release()
			break
		}
		b.next++
		b.missing++
		if b.held == 0 {
			break
		}
	}
	return int(b.next - from)
}

// release hands on the packets that are in order now.
func (b *receiveBuffer) release() {
	for {
		slot := &b.slots[b.next%reorderSlots]
		if !slot.used {
			return
		}
		slot.used = false
		b.held--
		b.next++
		b.hand(slot)
	}
}

func (b *receiveBuffer) hand(p *packet) {
	missing := b.missing
	b.missing = 0
	b.deliver(p, missing)
}
