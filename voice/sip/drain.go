package sip

import (
	"context"
	"errors"
	"sync"

	"github.com/callwright/callwright/voice/media"
)

// Close takes back the registrations, refuses new calls with 503 and waits for the live ones until ctx ends. Those left are
// hung up, or cancelled while they ring, before the socket closes. A second Close waits for the first.
func (ua *UA) Close(ctx context.Context) error {
	ua.mu.Lock()
	first := !ua.draining
	ua.draining = true
	ua.mu.Unlock()
	if !first {
		return ua.awaitClosed(ctx)
	}
	defer close(ua.closed)
	ua.unregister() // no new calls; live ones do not need it
	idle := make(chan struct{})
	go func() {
		ua.calls.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-ctx.Done():
	}
	err := ua.cutCalls(idle)
	ua.registered.Wait()
	err = errors.Join(err, ua.wire.Close())
	ua.clocks.Close()
	return err
}

func (ua *UA) awaitClosed(ctx context.Context) error {
	select {
	case <-ua.closed:
		return nil
	default:
	}
	select {
	case <-ua.closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// cutCalls ends what is still alive and gives it a moment to say goodbye.
func (ua *UA) cutCalls(idle <-chan struct{}) error {
	ua.cut()
	// The context of Close may have ended, which is why calls are cut.
	ctx, cancel := context.WithTimeout(context.Background(), hangupGrace)
	defer cancel()
	var mu sync.Mutex
	var failed []error
	var byes sync.WaitGroup
	for _, leg := range ua.live() {
		byes.Go(func() {
			if err := leg.end(ctx, media.ErrClosed); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, err)
			}
		})
	}
	byes.Wait()
	select {
	case <-idle:
	case <-ctx.Done():
		failed = append(failed, errors.New("close sip: calls are still open"))
	}
	return errors.Join(failed...)
}
