//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"sync"
	"time"
)

// What the balancer of deploy/caddy is set to.
const (
	healthEvery = 2 * time.Second
	healthLimit = 3 * time.Second
	tryFor      = 5 * time.Second
	tryEvery    = 100 * time.Millisecond
)

// balancer stands before the API processes as that of deploy/caddy does: requests go to those that say they are ready, and one
// that could not connect goes to another. What was sent to a process and not answered is lost.
type balancer struct {
	*server
	h         *harness
	transport *http.Transport
	end       context.CancelFunc
	asking    sync.WaitGroup

	mu     sync.Mutex
	ready  map[*process]bool
	served map[string]*process // who answered, by Idempotency-Key
	turn   int
}

func newBalancer(ctx context.Context, h *harness) (b *balancer, err error) {
	b = &balancer{h: h, transport: &http.Transport{DisableCompression: true}, ready: map[*process]bool{},
		served: map[string]*process{}}
	if b.server, err = serve(ctx, b); err != nil {
		return nil, err
	}
	ctx, b.end = context.WithCancel(ctx)
	b.asking.Go(func() {
		for ; ctx.Err() == nil; sleep(ctx, healthEvery) {
			b.look(ctx)
		}
	})
	return b, nil
}

func (b *balancer) close() {
	b.end()
	b.asking.Wait()
	b.server.close()
	b.transport.CloseIdleConnections()
}

// look asks every process whether it is ready.
func (b *balancer) look(ctx context.Context) {
	for _, p := range b.h.healthyOrLeaving() {
		err := probe(ctx, p)
		b.mu.Lock()
		b.ready[p] = err == nil
		b.mu.Unlock()
	}
}

// probe returns why a process is not ready.
func probe(ctx context.Context, p *process) error {
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/readyz", http.NoBody)
	if err != nil {
		return err
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	words, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(string(words))
	}
	return err
}

// pick is one of the processes that are ready, in turn; nil: none is.
func (b *balancer) pick() *process {
	b.mu.Lock()
	defer b.mu.Unlock()
	var ready []*process
	for _, p := range b.h.healthyOrLeaving() {
		if b.ready[p] {
			ready = append(ready, p)
		}
	}
	if len(ready) == 0 {
		return nil
	}
	b.turn++
	return ready[b.turn%len(ready)]
}

// ServeHTTP implements http.Handler.
func (b *balancer) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // whoever asked has gone
	}
	resp, err := b.pass(req, body)
	if err != nil {
		http.Error(w, "balancer: "+err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	maps.Copy(w.Header(), resp.Header)
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body) // whoever asked sees that it ends early
}

// pass sends a request to the processes until one takes it.
func (b *balancer) pass(req *http.Request, body []byte) (*http.Response, error) {
	for begun := time.Now(); ; sleep(req.Context(), tryEvery) {
		p, err := b.pick(), errors.New("no process is ready")
		if p != nil {
			var resp *http.Response
			if resp, err = b.send(p, req, body); err == nil {
				return resp, nil
			}
		}
		failed, is := errors.AsType[*net.OpError](err)
		if p != nil && (!is || failed.Op != "dial") || time.Since(begun) > tryFor || req.Context().Err() != nil {
			return nil, err
		}
	}
}

func (b *balancer) send(p *process, req *http.Request, body []byte) (*http.Response, error) {
	out, err := http.NewRequestWithContext(req.Context(), req.Method, p.url+req.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	out.Header, out.GetBody = req.Header.Clone(), nil // as a proxy, which has passed the body on, it cannot repeat it
	resp, err := b.transport.RoundTrip(out)
	if key := req.Header.Get("Idempotency-Key"); err == nil && key != "" {
		b.mu.Lock()
		b.served[key] = p
		b.mu.Unlock()
	}
	return resp, err
}

// servedBy is who answered a request; nil: nobody did.
func (b *balancer) servedBy(key string) *process {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.served[key]
}
