package sip

import (
	"sync"
	"sync/atomic"

	"github.com/callwright/callwright/voice/audio"
)

// tapeLen is how far the received side may run ahead of the clock: 200 ms of jitter. What exceeds it is dropped, so
// a far end with a faster clock never drifts away from our side.
const tapeLen = 10

// tape pairs what was received with what was sent, frame by frame, on the one clock that sends.
type tape struct {
	sink  atomic.Pointer[func(far, near []int16)]
	mu    sync.Mutex
	ring  *[tapeLen][audio.FrameLen]int16 // nil before the first recording; written by the clock
	first int
	count int
}

// record sets the sink; nil stops recording.
func (t *tape) record(sink func(far, near []int16)) {
	t.mu.Lock()
	t.count = 0
	if t.ring == nil {
		t.ring = new([tapeLen][audio.FrameLen]int16)
	}
	t.mu.Unlock()
	if sink == nil {
		t.sink.Store(nil)
		return
	}
	t.sink.Store(&sink)
}

// hear keeps a received frame for the next turn.
func (t *tape) hear(frame []int16) {
	if t.sink.Load() == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count == tapeLen {
		t.first = (t.first + 1) % tapeLen
		t.count--
	}
	copy(t.ring[(t.first+t.count)%tapeLen][:], frame)
	t.count++
}

// turn hands one frame of each side to the sink.
func (t *tape) turn(near []int16) {
	sink := t.sink.Load()
	if sink == nil {
		return
	}
	far := silence[:]
	t.mu.Lock()
	if t.count > 0 {
		far = t.ring[t.first][:]
		t.first = (t.first + 1) % tapeLen
		t.count--
	}
	t.mu.Unlock()
	(*sink)(far, near)
}
