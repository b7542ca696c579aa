package sip

import (
	"sync"
	"time"

	"github.com/callwright/callwright/voice/audio"
)

// playout is the queue of sound waiting for the send clock.
type playout struct {
	mu    sync.Mutex
	sound audio.Clip
}

func (p *playout) push(pcm []int16) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sound.Append(pcm)
}

// take fills frame with the next samples and silence after them.
func (p *playout) take(frame []int16) {
	p.mu.Lock()
	n := p.sound.Read(frame)
	p.mu.Unlock()
	clear(frame[n:])
}

func (p *playout) flush() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.sound.Len()
	p.sound = audio.Clip{}
	return audio.Duration(n)
}

func (p *playout) queued() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return audio.Duration(p.sound.Len())
}
