package elevenlabs

import (
	"slices"
	"sync"
	"time"
)

const (
	defaultKeep = 45 * time.Second // less than inactivity
	maxKept     = 32               // connections that are not used
)

// pool keeps connections for the next utterance of the same voice, model and language.
type pool struct {
	keep   time.Duration
	mu     sync.Mutex
	kept   []*line
	closed bool
}

// take is a connection to address that nobody else uses; nil: there is none. It may have
// been closed meanwhile.
func (p *pool) take(address string) *line {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, l := range slices.Backward(p.kept) {
		if l.address == address {
			l.expiry.Stop()
			p.kept = slices.Delete(p.kept, i, i+1)
			return l
		}
	}
	return nil
}

// put keeps a connection for a while.
func (p *pool) put(l *line) {
	p.mu.Lock()
	full := p.closed || len(p.kept) == maxKept
	if !full {
		p.kept = append(p.kept, l)
		l.expiry = time.AfterFunc(p.keep, func() { p.expire(l) })
	}
	p.mu.Unlock()
	if full {
		l.close()
	}
}

func (p *pool) expire(l *line) {
	p.mu.Lock()
	i := slices.Index(p.kept, l)
	if i >= 0 {
		p.kept = slices.Delete(p.kept, i, i+1)
	}
	p.mu.Unlock()
	if i >= 0 {
		l.close()
	}
}

func (p *pool) close() {
	p.mu.Lock()
	kept := p.kept
	p.kept, p.closed = nil, true
	p.mu.Unlock()
	for _, l := range kept {
		l.expiry.Stop()
		l.close()
	}
}
