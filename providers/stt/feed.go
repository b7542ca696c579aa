package stt

import (
	"context"
	"errors"
	"sync"
)

// ErrOver is what Write fails with once a stream is over and Err has nothing to say.
var ErrOver = errors.New("speech stream is over")

// Feed is the half of a Stream that adapters have in common: one goroutine that makes
// events until it is done, fails or is closed. An adapter embeds it and adds Write and
// EndOfSpeech.
type Feed struct {
	events chan Event
	cancel context.CancelFunc
	done   chan struct{}
	mu     sync.Mutex
	closed bool
	err    error
}

// eventBuffer is how many events may wait for their reader.
const eventBuffer = 16

// NewFeed runs run, which calls emit for each event and returns when emit says false or
// ctx ends. What it returns becomes Err, unless Close came first.
func NewFeed(ctx context.Context, run func(ctx context.Context, emit func(Event) bool) error) *Feed {
	ctx, cancel := context.WithCancel(ctx)
	f := &Feed{events: make(chan Event, eventBuffer), cancel: cancel, done: make(chan struct{})}
	go f.work(ctx, run)
	return f
}

func (f *Feed) work(ctx context.Context, run func(context.Context, func(Event) bool) error) {
	defer f.cancel()
	err := run(ctx, func(event Event) bool {
		select {
		case f.events <- event:
			return ctx.Err() == nil
		case <-ctx.Done():
			return false
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	f.mu.Lock()
	if !f.closed {
		f.err = err
	}
	f.mu.Unlock()
	close(f.done)
	close(f.events)
}

// Events is closed when the feed is over.
func (f *Feed) Events() <-chan Event { return f.events }

// Err is why the feed is over; nil before, and after Close.
func (f *Feed) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Over is the error for writers: nil while the feed runs.
func (f *Feed) Over() error {
	select {
	case <-f.done:
	default:
		return nil
	}
	if err := f.Err(); err != nil {
		return err
	}
	return ErrOver
}

// Close ends the feed and waits until it has ended.
func (f *Feed) Close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.cancel()
	<-f.done
	return nil
}
