package calendar

import (
	"context"
	"sync"

	"github.com/google/uuid"
)

// places are shared by owners. Each takes one at a time, so that what one of them does for long keeps the others from no more
// than that.
type places struct {
	all chan struct{}

	mu     sync.Mutex
	owners map[uuid.UUID]*turns
}

// turns are what an owner's calls of enter take.
type turns struct {
	one  chan struct{}
	here int // that have their turn or wait for it
}

func newPlaces(count int) *places {
	return &places{all: make(chan struct{}, count), owners: map[uuid.UUID]*turns{}}
}

// enter waits for a place, which leave gives back. When ctx ends first it returns the error of ctx.
func (p *places) enter(ctx context.Context, owner uuid.UUID) (leave func(), err error) {
	mine := p.come(owner)
	select {
	case mine.one <- struct{}{}:
	case <-ctx.Done():
		p.gone(owner)
		return nil, ctx.Err()
	}
	select {
	case p.all <- struct{}{}:
	case <-ctx.Done():
		<-mine.one
		p.gone(owner)
		return nil, ctx.Err()
	}
	return func() {
		<-p.all
		<-mine.one
		p.gone(owner)
	}, nil
}

func (p *places) come(owner uuid.UUID) *turns {
	p.mu.Lock()
	defer p.mu.Unlock()
	mine := p.owners[owner]
	if mine == nil {
		mine = &turns{one: make(chan struct{}, 1)}
		p.owners[owner] = mine
	}
	mine.here++
	return mine
}

func (p *places) gone(owner uuid.UUID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.owners[owner].here--; p.owners[owner].here == 0 {
		delete(p.owners, owner)
	}
}
