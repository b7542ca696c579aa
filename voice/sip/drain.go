package sip

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	siplib "github.com/emiago/sipgo/sip"

	"github.com/callwright/callwright/voice/media"
)

const (
	hangupGrace     = 4 * time.Second // for the BYEs of a closing user agent
	drainRetryAfter = "10"            // seconds, told to those who call while we close

	// shutLinger is for the last messages read. sipgo handles each in a goroutine that cannot be waited for, and one that
	// finds its socket gone opens another, which only the end of the transport layer closes again.
	shutLinger = 20 * time.Millisecond
)

// Close takes back the registrations, refuses new calls with 503 and waits for the live ones until ctx ends. Those left are hung up, or cancelled
// while they ring, before the socket closes. A second Close waits for the first.
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
	return errors.Join(err, ua.shut())
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

// shut ends the sockets and the transactions. Connections end with the transport layer, after what was written to them.
func (ua *UA) shut() error {
	ua.gate.Lock()
	ua.stopped = true
	ua.gate.Unlock()
	err := errors.Join(ua.closeListeners(), ua.socket.Close())
	ua.serving.Wait()
	time.Sleep(shutLinger)
	err = errors.Join(err, ua.agent.Close())
	ua.tasks.Wait()
	ua.clocks.Close()
	if err != nil {
		return fmt.Errorf("close sip socket: %w", err)
	}
	return nil
}

// spawn runs a task that Close waits for. It is false once the socket is closing.
func (ua *UA) spawn(task func()) bool {
	ua.gate.RLock()
	defer ua.gate.RUnlock()
	if ua.stopped {
		return false
	}
	ua.tasks.Go(task)
	return true
}

// transact sends a request that gets answers. After the end of the socket sipgo would quietly open another one. ctx
// bounds only the opening of a connection, which has its own limit too.
func (ua *UA) transact(ctx context.Context, req *siplib.Request) (siplib.ClientTransaction, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	ua.gate.RLock()
	defer ua.gate.RUnlock()
	if ua.stopped {
		return nil, media.ErrClosed
	}
	if err := ua.nameConnection(ctx, req); err != nil {
		return nil, err
	}
	return ua.clients[transportOf(req)].TransactionRequest(ctx, req)
}

// write sends a request that gets none: an ACK.
func (ua *UA) write(req *siplib.Request) error {
	ua.gate.RLock()
	defer ua.gate.RUnlock()
	if ua.stopped {
		return media.ErrClosed
	}
	return ua.clients[transportOf(req)].WriteRequest(req)
}
