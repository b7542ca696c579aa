package db

import (
	"context"
	"sync"
	"time"
)

const (
	batchMax     = 256
	batchTimeout = 15 * time.Second
)

// Batcher does together what is asked at the same time: while one batch is under way, keys that arrive wait for the
// next. A single key is never delayed, and a thousand that come at once share a few transactions. A batch that fails is
// tried key by key, so that one bad row does not hold up the others. A key's value goes to one asker only.
type Batcher[K comparable, V any] struct {
	run func(ctx context.Context, keys []K) (map[K]V, error)

	mu      sync.Mutex
	waiting []*batchRequest[K, V]
	running bool
}

type batchRequest[K comparable, V any] struct {
	key   K
	value V
	err   error
	done  chan struct{}
}

// NewBatcher makes a batcher whose batches run does, in a transaction of its own.
func NewBatcher[K comparable, V any](run func(ctx context.Context, keys []K) (map[K]V, error)) *Batcher[K, V] {
	return &Batcher[K, V]{run: run}
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
		b.mu.Lock()
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
	}
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
	if err != nil && len(batch) > 1 {
		return false
	}
	for _, request := range batch {
		request.value, request.err = values[request.key], err
		delete(values, request.key) // whoever asks for the same key in the same batch comes second
	}
	return true
}
