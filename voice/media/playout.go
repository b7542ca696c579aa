package media

import (
	"slices"
	"sync"
	"time"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/prefetch"
)

// playout is the queue of sound waiting for the send clock. It copies nothing: seconds of speech wait in every call.
type playout struct {
	band   audio.Band // set before the clock starts
	mu     sync.Mutex
	chunks [][]int16 // the first one without what was taken of it
	len    int       // samples in them
}

func (p *playout) push(pcm []int16) {
	if len(pcm) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.chunks = append(p.chunks, pcm)
	p.len += len(pcm)
}

// take fills frame with the next samples and silence after them.
func (p *playout) take(frame []int16) {
	p.mu.Lock()
	defer p.mu.Unlock()
	played := 0
	for len(frame) > 0 && played < len(p.chunks) {
		n := copy(frame, p.chunks[played])
		frame, p.chunks[played] = frame[n:], p.chunks[played][n:]
		p.len -= n
		if len(p.chunks[played]) == 0 {
			played++
		}
	}
	p.chunks = slices.Delete(p.chunks, 0, played)
	clear(frame)
}

func (p *playout) flush() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.len
	p.chunks, p.len = nil, 0
	return p.band.Duration(n)
}

func (p *playout) queued() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.band.Duration(p.len)
}

// prefetch fetches the list of what waits, or, with a depth of 1, the next frame.
func (p *playout) prefetch(depth int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case len(p.chunks) == 0:
	case depth == 0:
		prefetch.Of(&p.chunks[0])
	default:
		next := p.chunks[0]
		prefetch.Slice(next[:min(p.band.FrameLen(), len(next))])
	}
}
