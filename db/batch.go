package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/callwright/callwright/metrics"
)

const (
	batchMax     = 256
	batchTimeout = 15 * time.Second
)

// ErrBatcherClosed is the error of keys that a Batcher did not begin before it was closed.
var ErrBatcherClosed = errors.New("the batcher is closed")

// Batcher does together what is asked at the same time: while one batch runs, keys that arrive wait for the next. A single
// key is never delayed, and a thousand that come at once share a few transactions. A batch that fails is tried key by key,
// so that one bad row does not hold up the others; one that took too long fails as a whole, because its keys would take as
// long one after the other, and so does one of which nobody knows whether it was done (ErrUncertain): a second try would take
// its own first for somebody else's. A key's value goes to one caller only. A batch that panics
// does so in the callers whose keys are to blame, as if they had run it.
//
// Batches belong to the batcher, not to its callers: they end when they are done, after 15 s, or when Close cancels them. A
// batch runs with the values of its first caller's context, such as River's client, and with none of its deadlines.
type Batcher[K comparable, V any] struct {
	run      func(ctx context.Context, keys []K) (map[K]V, error)
	owner    func(K) uuid.UUID   // nil: first come, first served
	cooldown time.Duration       // from the beginning of a batch to that of the next, at least, unless the next is full
	sizes    prometheus.Observer // nil: nobody counts how large batches are

	life    context.Context // of all batches
	end     context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex
	waiting []*batchRequest[K, V]
	busy    bool // work is running
}

type batchRequest[K comparable, V any] struct {
	values context.Context // the caller's, without its end
	key    K
	value  V
	err    error
	done   chan struct{}
	turn   int // how many of the same owner come before it
}

// NewBatcher returns a batcher whose batches run does, in a transaction of its own. Whoever made it closes it.
func NewBatcher[K comparable, V any](run func(ctx context.Context, keys []K) (map[K]V, error)) *Batcher[K, V] {
	life, end := context.WithCancel(context.Background()) // no caller's context: theirs end before the batches that they share
	return &Batcher[K, V]{run: run, life: life, end: end}
}

// NewFairBatcher is NewBatcher for keys that have owners, who take turns: the keys of one who asks for thousands at once
// do not delay the single key of another by more than the batch that runs.
func NewFairBatcher[K comparable, V any](run func(ctx context.Context, keys []K) (map[K]V, error),
	owner func(K) uuid.UUID) *Batcher[K, V] {
	b := NewBatcher(run)
	b.owner = owner
	return b
}

// NewCooldownBatcher is NewBatcher for what may wait a little for company: after a batch has begun, the next begins no
// sooner than cooldown later, or when it is full. A key that comes alone still goes at once.
func NewCooldownBatcher[K comparable, V any](cooldown time.Duration,
	run func(ctx context.Context, keys []K) (map[K]V, error)) *Batcher[K, V] {
	b := NewBatcher(run)
	b.cooldown = cooldown
	return b
}

// NewFairCooldownBatcher is NewFairBatcher for what may wait a little for company, as with NewCooldownBatcher.
func NewFairCooldownBatcher[K comparable, V any](cooldown time.Duration, run func(ctx context.Context, keys []K) (map[K]V, error),
	owner func(K) uuid.UUID) *Batcher[K, V] {
	b := NewCooldownBatcher(cooldown, run)
	b.owner = owner
	return b
}

// Named has the sizes of the batches counted under that name, and returns b.
func (b *Batcher[K, V]) Named(name string) *Batcher[K, V] {
	b.sizes = metrics.BatchSize.WithLabelValues(name)
	return b
}

// Do returns the key's value, or the zero one when the batch had none for it. When ctx ends first it returns the error of
// ctx: a key that still waits is not done, one whose batch has begun may be. Whoever must learn the outcome asks with
// context.WithoutCancel; batches end by themselves.
func (b *Batcher[K, V]) Do(ctx context.Context, key K) (V, error) {
	var zero V
	if ctx.Err() != nil {
		return zero, ctx.Err()
	}
	request := &batchRequest[K, V]{values: context.WithoutCancel(ctx), key: key, done: make(chan struct{})}
	if !b.add(request) {
		return zero, ErrBatcherClosed
	}
	select {
	case <-request.done:
	case <-ctx.Done():
		b.forget(request)
		select {
		case <-request.done: // both at once: what is known counts
		default:
			return zero, ctx.Err()
		}
	}
	if panicked, is := errors.AsType[*batchPanic](request.err); is {
		panic(panicked.Error())
	}
	return request.value, request.err
}

// Close cancels the batch that runs, fails what waits with ErrBatcherClosed and returns when the batcher does nothing more.
// Owners that want everything done wait for their callers first.
func (b *Batcher[K, V]) Close() {
	b.mu.Lock()
	b.end()
	b.mu.Unlock()
	b.running.Wait()
}

// add reports whether the request will be done.
func (b *Batcher[K, V]) add(request *batchRequest[K, V]) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.life.Err() != nil {
		return false
	}
	b.waiting = append(b.waiting, request)
	if !b.busy {
		b.busy = true
		b.running.Go(b.work)
	}
	return true
}

func (b *Batcher[K, V]) forget(request *batchRequest[K, V]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.waiting, request); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
	}
}

// work runs batches until nothing waits.
func (b *Batcher[K, V]) work() {
	for batch := b.take(); len(batch) > 0; batch = b.take() {
		began := time.Now()
		if b.sizes != nil {
			b.sizes.Observe(float64(len(batch)))
		}
		if !b.try(batch) {
			for i := range batch {
				b.try(batch[i : i+1])
			}
		}
		for _, request := range batch {
			close(request.done)
		}
		if len(batch) > 1 {
			runtime.Gosched() // callers that ask again at once share the next batch: else the first would be alone in it
		}
		if !b.full() {
			b.sleep(b.cooldown - time.Since(began))
		}
	}
}

// take returns the next batch. Where that is empty, the next key needs another work.
func (b *Batcher[K, V]) take() []*batchRequest[K, V] {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.takeTurns()
	batch := slices.Clone(b.waiting[:min(len(b.waiting), batchMax)])
	b.waiting = b.waiting[len(batch):]
	if len(batch) == 0 {
		b.waiting, b.busy = nil, false
	}
	return batch
}

func (b *Batcher[K, V]) full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting) >= batchMax
}

func (b *Batcher[K, V]) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-b.life.Done():
	}
}

// takeTurns sorts what waits so that every owner's first key comes before anybody's second.
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

// try runs a batch. It returns false when it failed but its keys may succeed one by one.
func (b *Batcher[K, V]) try(batch []*batchRequest[K, V]) bool {
	if b.life.Err() != nil {
		for _, request := range batch {
			request.err = ErrBatcherClosed
		}
		return true
	}
	ctx, cancel := context.WithTimeout(batch[0].values, batchTimeout)
	defer cancel()
	defer context.AfterFunc(b.life, cancel)()
	keys := make([]K, len(batch))
	for i, request := range batch {
		keys[i] = request.key
	}
	values, err := b.call(ctx, keys)
	if err != nil && len(batch) > 1 && ctx.Err() == nil && !errors.Is(err, ErrUncertain) {
		return false
	}
	for _, request := range batch {
		request.value, request.err = values[request.key], err
		delete(values, request.key) // whoever asks for the same key in the same batch comes second
	}
	return true
}

// call is run that does not panic.
func (b *Batcher[K, V]) call(ctx context.Context, keys []K) (values map[K]V, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = &batchPanic{reason, debug.Stack()}
		}
	}()
	return b.run(ctx, keys)
}

// batchPanic is why a batch panicked, and where.
type batchPanic struct {
	reason any
	stack  []byte
}

// Error implements error.
func (p *batchPanic) Error() string { return fmt.Sprintf("%v\n\n%s", p.reason, p.stack) }
