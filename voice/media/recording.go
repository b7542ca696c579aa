package media

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/prefetch"
)

// tapLen is how far the received side may run ahead of the clock: 200 ms of jitter. What exceeds it is dropped, so
// a far end with a faster clock never drifts away from our side.
const tapLen = 10

// recordingTap pairs what was received with what was sent, frame by frame, on the one clock that sends.
type recordingTap struct {
	band  audio.Band // set before the clock starts
	sink  atomic.Pointer[func(far, near []int16)]
	mu    sync.Mutex
	ring  [tapLen][]int16 // copies of frames
	first int
	count int
}

// record sets the sink; nil stops recording.
func (t *recordingTap) record(sink func(far, near []int16)) {
	t.mu.Lock()
	for t.count > 0 {
		audio.GiveFrame(t.take())
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
		audio.GiveFrame(t.take())
	}
	t.ring[(t.first+t.count)%tapLen] = audio.CopyFrame(frame)
	t.count++
}

// take takes the first frame, of which there has to be one.
func (t *recordingTap) take() []int16 {
	frame := t.ring[t.first]
	t.ring[t.first] = nil
	t.first = (t.first + 1) % tapLen
	t.count--
	return frame
}

// prefetch fetches the sink and the frame that it gets next.
func (t *recordingTap) prefetch() {
	sink := t.sink.Load()
	if sink == nil {
		return
	}
	prefetch.Of(*(**[2]uintptr)(unsafe.Pointer(sink))) // what the function closes over
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count > 0 {
		prefetch.Slice(t.ring[t.first])
	}
}

// sent hands one frame of each side to the sink.
func (t *recordingTap) sent(near []int16) {
	sink := t.sink.Load()
	if sink == nil {
		return
	}
	var far []int16
	t.mu.Lock()
	if t.count > 0 {
		far = t.take()
	}
	t.mu.Unlock()
	if far == nil {
		(*sink)(silent(t.band), near)
		return
	}
	(*sink)(far, near)
	audio.GiveFrame(far)
}
