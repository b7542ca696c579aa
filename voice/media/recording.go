package media

import (
	"sync"
	"sync/atomic"

	"github.com/callwright/callwright/voice/audio"
)

// tapLen is how far the received side may run ahead of the clock: 200 ms of jitter. What exceeds it is dropped, so
// a far end with a faster clock never drifts away from our side.
const tapLen = 10

// recordingTap pairs what was received with what was sent, frame by frame, on the one clock that sends.
type recordingTap struct {
	band  audio.Band // set before the clock starts
	sink  atomic.Pointer[func(far, near []int16)]
	mu    sync.Mutex
	ring  []int16 // frames, nil before the first recording; written by the clock
	first int
	count int
}

// record sets the sink; nil stops recording.
func (t *recordingTap) record(sink func(far, near []int16)) {
	t.mu.Lock()
	t.count = 0
	if t.ring == nil {
		t.ring = make([]int16, tapLen*t.band.FrameLen())
	}
	t.mu.Unlock()
	if sink == nil {
		t.sink.Store(nil)
		return
	}
	t.sink.Store(&sink)
}

// received keeps a frame of the far end for the next one that is sent.
func (t *recordingTap) received(frame []int16) {
	if t.sink.Load() == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count == tapLen {
		t.first = (t.first + 1) % tapLen
		t.count--
	}
	copy(t.slot(t.count), frame)
	t.count++
}

// slot returns the room of the frame that is so many behind the first.
func (t *recordingTap) slot(behind int) []int16 {
	n := t.band.FrameLen()
	return t.ring[(t.first+behind)%tapLen*n:][:n]
}

// sent hands one frame of each side to the sink.
func (t *recordingTap) sent(near []int16) {
	sink := t.sink.Load()
	if sink == nil {
		return
	}
	far := silent(t.band)
	t.mu.Lock()
	if t.count > 0 {
		far = t.slot(0)
		t.first = (t.first + 1) % tapLen
		t.count--
	}
	t.mu.Unlock()
	(*sink)(far, near)
}
