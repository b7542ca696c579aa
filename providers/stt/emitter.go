package stt

import (
	"context"
	"errors"
	"sync"
)

// ErrOver is the error of Write after a stream has ended without an error.
var ErrOver = errors.New("speech stream is over")

// Emitter is the part of a Stream that providers share: one goroutine that emits events until it is done, fails or is
// closed. Providers embed it and add Write and EndOfSpeech.
type Emitter struct {
	events chan Event
	cancel context.CancelFunc
	done   chan struct{}
	mu     sync.Mutex
	closed bool
	err    error
}

// eventBuffer is how many events may wait for their reader.
const eventBuffer = 16

// NewEmitter runs run, which calls emit for each event and returns when emit returns false or ctx ends. Its error
// becomes Err, unless Close came first.
func NewEmitter(ctx context.Context, run func(ctx context.Context, emit func(Event) bool) error) *Emitter {
	ctx, cancel := context.WithCancel(ctx)
	e := &Emitter{events: make(chan Event, eventBuffer), cancel: cancel, done: make(chan struct{})}
	go e.work(ctx, run)
	return e
}

func (e *Emitter) work(ctx context.Context, run func(context.Context, func(Event) bool) error) {
	defer e.cancel()
	err := run(ctx, func(event Event) bool {
		select {
		case e.events <- event:
			return ctx.Err() == nil
		case <-ctx.Done():
			return false
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	e.mu.Lock()
	if !e.closed {
		e.err = err
	}
	e.mu.Unlock()
	close(e.done)
	close(e.events)
}

// Events returns the channel of events. It is closed at the end.
func (e *Emitter) Events() <-chan Event { return e.events }

// Err returns why the emitter has ended; nil before, and after Close.
func (e *Emitter) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// Over returns the error for writers: nil while the emitter runs.
func (e *Emitter) Over() error {
	select {
	case <-e.done:
	default:
		return nil
	}
	if err := e.Err(); err != nil {
		return err
	}
	return ErrOver
}

// Close ends the emitter and waits until it has ended.
func (e *Emitter) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.cancel()
	<-e.done
	return nil
}
