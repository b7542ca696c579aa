package gateways

import (
	"context"
	"sync"
	"time"
)

// pace spaces what a process sends, whatever number of goroutines send it.
type pace struct {
	every time.Duration

	mu   sync.Mutex
	next time.Time
}

func newPace(perSecond int) *pace { return &pace{every: time.Second / time.Duration(perSecond)} }

// wait returns when it is the caller's turn, or ctx ends.
func (p *pace) wait(ctx context.Context) {
	p.mu.Lock()
	now := time.Now()
	if p.next.Before(now) {
		p.next = now
	}
	turn := p.next
	p.next = turn.Add(p.every)
	p.mu.Unlock()
	pause(ctx, turn.Sub(now))
}

// pause returns after d, or when ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
