package sip

import "github.com/pion/rtp"

const (
	reorderDepth = 4   // packets that may wait for one that is missing: 80 ms
	reorderSlots = 8   // more than may wait, and a power of two so that slots stay in step when sequence numbers wrap
	reorderJump  = 100 // a sequence number further off than this belongs to a new stream
)

// packet is an RTP packet as far as we read it.
type packet struct {
	sequence  uint16
	timestamp uint32
	payload   uint8 // payload type
	data      []byte
	used      bool
}

// reorder hands RTP packets on in the order of their sequence numbers. It waits for a missing packet until
// reorderDepth later ones have come. It allocates nothing once every slot has held a packet.
type reorder struct {
	started bool
	ssrc    uint32
	next    uint16
	held    int
	missing int // packets given up on since the last delivery
	slots   [reorderSlots]packet
	passing packet                       // one that needs no slot
	deliver func(p *packet, missing int) // how many were lost just before p; p.data is reused after the call
}

// push takes one packet and tells whether it came in time.
func (r *reorder) push(p *rtp.Packet) (ok bool) {
	ahead := int(int16(p.SequenceNumber - r.next))
	if !r.started || p.SSRC != r.ssrc || ahead > reorderJump || ahead < -reorderJump {
		r.restart(p)
		ahead = 0
	}
	if ahead < 0 {
		return false
	}
	if ahead == 0 && r.held == 0 { // as on most lines always: it is not even copied
		r.next++
		r.passing = packet{sequence: p.SequenceNumber, timestamp: p.Timestamp, payload: p.PayloadType, data: p.Payload}
		r.hand(&r.passing)
		r.passing.data = nil
		return true
	}
	for ahead > reorderDepth { // the packets held are worth more than the ones still hoped for
		ahead -= r.advance()
	}
	slot := &r.slots[p.SequenceNumber%reorderSlots]
	if slot.used {
		return false
	}
	*slot = packet{p.SequenceNumber, p.Timestamp, p.PayloadType, append(slot.data[:0], p.Payload...), true}
	r.held++
	r.release()
	if r.held == reorderDepth {
		r.advance()
	}
	return true
}

// restart hands on what is held and follows the stream that p belongs to.
func (r *reorder) restart(p *rtp.Packet) {
	for r.held > 0 {
		r.advance()
	}
	r.started, r.ssrc, r.next, r.missing = true, p.SSRC, p.SequenceNumber, 0
}

// advance gives up on the packets missing before the first one held and hands on that one and its successors. It
// returns by how much the expected sequence number grew.
func (r *reorder) advance() (steps int) {
	from := r.next
	for {
		if r.slots[r.next%reorderSlots].used {
			r.release()
			break
		}
		r.next++
		r.missing++
		if r.held == 0 {
			break
		}
	}
	return int(r.next - from)
}

// release hands on the packets that are in order now.
func (r *reorder) release() {
	for {
		slot := &r.slots[r.next%reorderSlots]
		if !slot.used {
			return
		}
		slot.used = false
		r.held--
		r.next++
		r.hand(slot)
	}
}

func (r *reorder) hand(p *packet) {
	missing := r.missing
	r.missing = 0
	r.deliver(p, missing)
}
