package db

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	batchMax     = 256
	batchTimeout = 15 * time.Second
)

// Batcher does together what is asked at the same time: while one batch is under way, keys that arrive wait for the
// next. A single key is never delayed, and a thousand that come at once share a few transactions. A batch that fails is
// tried key by key, so that one bad row does not hold up the others; one that took too long fails as a whole, because its
// keys would take as long one after the other. A key's value goes to one asker only.
type Batcher[K comparable, V any] struct {
	run   func(ctx context.Context, keys []K) (map[K]V, error)
	owner func(K) uuid.UUID // nil: first come, first served
	rest  time.Duration     // from the beginning of a batch to that of the next, at least, unless the next is full

	mu      sync.Mutex
	waiting []*batchRequest[K, V]
	running bool
}

type batchRequest[K comparable, V any] struct {
	key   K
	value V
	err   error
	done  chan struct{}
	turn  int // how many of the same owner come before it
}

// NewBatcher makes a batcher whose batches run does, in a transaction of its own.
func NewBatcher[K comparable, V any](run func(ctx context.Context, keys []K) (map[K]V, error)) *Batcher[K, V] {
	return &Batcher[K, V]{run: run}
}

// NewFairBatcher is NewBatcher for keys that have owners, who take turns: the keys of one who asks for thousands at once
// do not delay the single key of another by more than the batch under way.
func NewFairBatcher[K comparable, V any](run func(ctx context.Context, keys []K) (map[K]V, error), owner func(K) uuid.UUID) *Batcher[K, V] {
	return &Batcher[K, V]{run: run, owner: owner}
}

// NewRestingBatcher is NewBatcher for what may wait a little for company: after a batch has begun, the next begins no
// sooner than rest later, or when it is full. A key that comes alone still goes at once.
func NewRestingBatcher[K comparable, V any](rest time.Duration, run func(ctx context.Context, keys []K) (map[K]V, error)) *Batcher[K, V] {
	return &Batcher[K, V]{run: run, rest: rest}
}

// Do answers the key's value, or the zero one when the batch had none for it. It waits for the outcome even when ctx
// ends: what was done must not go unnoticed.
func (b *Batcher[K, V]) Do(ctx context.Context, key K) (V, error) {
	request := &batchRequest[K, V]{key: key, done: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, request)
	if !b.running {
		b.running = true
		go b.work(context.WithoutCancel(ctx))
	}
	b.mu.Unlock()
	<-request.done
	return request.value, request.err
}

func (b *Batcher[K, V]) work(ctx context.Context) {
	for {
		began := time.Now()
		b.mu.Lock()
		b.takeTurns()
		batch := b.waiting[:min(len(b.waiting), batchMax)]
		b.waiting = b.waiting[len(batch):]
		if len(batch) == 0 {
			b.waiting, b.running = nil, false
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		if !b.try(ctx, batch) {
			for i := range batch {
				b.try(ctx, batch[i:i+1])
			}
		}
		for _, request := range batch {
			close(request.done)
		}
		if !b.full() {
			time.Sleep(b.rest - time.Since(began))
		}
	}
}

func (b *Batcher[K, V]) full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting) >= batchMax
}

// takeTurns sorts who waits so that every owner's first key comes before anybody's second.
func (b *Batcher[K, V]) takeTurns() {
	if b.owner == nil || len(b.waiting) <= batchMax {
		return
	}
	turns := map[uuid.UUID]int{}
	for _, request := range b.waiting {
		owner := b.owner(request.key)
		request.turn = turns[owner]
		turns[owner]++
	}
	slices.SortStableFunc(b.waiting, func(x, y *batchRequest[K, V]) int { return cmp.Compare(x.turn, y.turn) })
}

// try runs a batch. It answers false when it failed but its keys may succeed one by one.
func (b *Batcher[K, V]) try(ctx context.Context, batch []*batchRequest[K, V]) bool {
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	keys := make([]K, len(batch))
	for i, request := range batch {
		keys[i] = request.key
	}
	values, err := b.run(ctx, keys)
	if err != nil && len(batch) > 1 && ctx.Err() == nil {
		return false
	}
	for _, request := range batch {
		request.value, request.err = values[request.key], err
		delete(values, request.key) // whoever asks for the same key in the same batch comes second
	}
	return true
}
