package media

import (
	"sync"

	"github.com/callwright/callwright/voice/audio"
)

const (
	incomingLen  = 100 // items that may wait for the reader: two seconds
	incomingRoom = 32  // frames dropped at once when that is not enough, so that a stuck reader costs little
)

// incoming carries what the far end sends to the reader of Stream.Incoming. It never blocks its writers: when the
// reader falls behind, the oldest sound goes, and keys and captions stay in their order.
type incoming struct {
	mu      sync.Mutex
	items   chan audio.Incoming
	ready   func() // called when something was put in, and at the end; nil: nobody waits
	closed  bool
	dropped uint64
	untold  int // frames for which ready was not called yet
}

func newIncoming() *incoming {
	return &incoming{items: make(chan audio.Incoming, incomingLen)}
}

// sound copies one frame in.
func (q *incoming) sound(frame []int16) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.put(audio.Incoming{Frame: audio.CopyFrame(frame)})
		q.untold++
	}
}

// announce has ready called for the frames of which the reader was not told yet.
func (q *incoming) announce() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for ; q.untold > 0; q.untold-- {
		q.say()
	}
}

func (q *incoming) key(digit byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tell(audio.Incoming{Digit: digit})
}

func (q *incoming) caption(text string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tell(audio.Captioned(text))
}

func (q *incoming) typed(text string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tell(audio.Typed(text))
}

func (q *incoming) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.items)
		q.say()
	}
}

// notify has ready called when something is put in, and for what was before.
func (q *incoming) notify(ready func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ready = ready
	q.say()
}

func (q *incoming) say() {
	if q.ready != nil {
		q.ready()
	}
}

// tell puts in what anybody may bring, not the clock alone.
func (q *incoming) tell(item audio.Incoming) {
	if !q.closed {
		q.put(item)
		q.say()
	}
}

func (q *incoming) put(item audio.Incoming) {
	select {
	case q.items <- item:
		return
	default:
	}
	q.makeRoom()
	select {
	case q.items <- item:
	default: // nothing but unread keys and captions
		q.dropped++
	}
}

// makeRoom takes everything out and puts it back without the oldest frames. Being the only writer, it keeps the order.
func (q *incoming) makeRoom() {
	var kept [incomingLen]audio.Incoming
	n, room := 0, incomingRoom
	for range incomingLen {
		select {
		case item := <-q.items:
			if item.Frame != nil && room > 0 {
				room--
				q.dropped++
				audio.GiveFrame(item.Frame)
				continue
			}
			kept[n] = item
			n++
		default:
		}
	}
	for _, item := range kept[:n] {
		q.items <- item
	}
}

func (q *incoming) drops() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}
