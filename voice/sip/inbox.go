package sip

import (
	"sync"

	"github.com/callwright/callwright/voice/audio"
)

const (
	inboxLen  = 128 // things a reader may leave lying: about two and a half seconds
	inboxRoom = 32  // frames dropped at once when it did, so that a stuck reader costs little
)

// inbox carries what the far end sends to the one who reads Leg.Incoming. It never blocks its writers: when the
// reader falls behind, the oldest sound goes, and keys and captions stay in their order.
type inbox struct {
	mu      sync.Mutex
	items   chan audio.Incoming
	closed  bool
	dropped uint64
}

func newInbox() *inbox {
	return &inbox{items: make(chan audio.Incoming, inboxLen)}
}

// sound copies one frame in.
func (b *inbox) sound(frame []int16) {
	b.mu.Lock()
	defer b.mu.Unlock()
	own := audio.TakeFrame()
	copy(own, frame)
	b.put(audio.Incoming{Frame: own})
}

func (b *inbox) key(digit byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.put(audio.Incoming{Digit: digit})
}

func (b *inbox) caption(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.put(audio.Incoming{Caption: text})
}

func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.closed = true
		close(b.items)
	}
}

func (b *inbox) put(item audio.Incoming) {
	if b.closed {
		return
	}
	select {
	case b.items <- item:
		return
	default:
	}
	b.makeRoom()
	select {
	case b.items <- item:
	default: // nothing but unread keys and captions
		b.dropped++
	}
}

// makeRoom takes everything out and puts it back without the oldest frames. Being the only writer, it keeps the order.
func (b *inbox) makeRoom() {
	var kept [inboxLen]audio.Incoming
	n, room := 0, inboxRoom
	for range inboxLen {
		select {
		case item := <-b.items:
			if item.Frame != nil && room > 0 {
				room--
				b.dropped++
				audio.GiveFrame(item.Frame)
				continue
			}
			kept[n] = item
			n++
		default:
		}
	}
	for _, item := range kept[:n] {
		b.items <- item
	}
}

func (b *inbox) drops() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropped
}
