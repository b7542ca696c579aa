package sip

import (
	"sync"
	"time"

	"github.com/callwright/callwright/voice/audio"
)

// playoutKeep is how many samples of emptied buffer a leg holds on to: half a minute.
const playoutKeep = 30 * audio.Rate

// playout is the queue of sound waiting for the send clock.
type playout struct {
	mu   sync.Mutex
	pcm  []int16
	head int // samples already taken
}

func (p *playout) push(pcm []int16) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.head > 0 && len(p.pcm)+len(pcm) > cap(p.pcm) { // make room at the front before growing
		p.pcm = p.pcm[:copy(p.pcm, p.pcm[p.head:])]
		p.head = 0
	}
	p.pcm = append(p.pcm, pcm...)
}

// take fills frame with the next samples and silence after them.
func (p *playout) take(frame []int16) {
	p.mu.Lock()
	n := copy(frame, p.pcm[p.head:])
	p.head += n
	if p.head == len(p.pcm) {
		p.reset()
	}
	p.mu.Unlock()
	clear(frame[n:])
}

func (p *playout) flush() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.pcm) - p.head
	p.reset()
	return audio.Duration(n)
}

func (p *playout) queued() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return audio.Duration(len(p.pcm) - p.head)
}

func (p *playout) reset() {
	p.head, p.pcm = 0, p.pcm[:0]
	if cap(p.pcm) > playoutKeep {
		p.pcm = nil
	}
}
