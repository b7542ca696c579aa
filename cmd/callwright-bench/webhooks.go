package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/worker"
)

const (
	webhookPublishers = 16
	webhookSingles    = 300 // events that are sent one at a time
	webhookRate       = 50  // events a second of an account whose neighbour's server hangs
)

// receiver is a customer's server that takes everything.
type receiver struct {
	count   atomic.Int64
	arrived chan time.Time // of events, while somebody waits for one
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	at := time.Now()
	r.count.Add(1)
	select {
	case r.arrived <- at:
	default:
	}
	w.WriteHeader(http.StatusNoContent)
}

// webhooks measures events on their way: a turn of a call, its event and its job are written in one transaction, with others of
// the same time, and the event is numbered, signed, posted to a server on loopback, and logged.
func webhooks(ctx context.Context, b *bench) (err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	far := &receiver{arrived: make(chan time.Time, 1)}
	server := &http.Server{Handler: far, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }() // ends by Close
	defer func() { err = errors.Join(err, server.Close()) }()
	secrets, err := sealBox(ctx, b)
	if err != nil {
		return err
	}
	publisher, err := newWebhookPublisher(ctx, b, secrets, "http://"+listener.Addr().String())
	if err != nil {
		return err
	}
	defer publisher.batches.Close()
	running, err := startWebhooks(ctx, b, secrets)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopWorker(ctx, running)) }()
	if err := publisher.singly(ctx, far); err != nil {
		return err
	}
	return publisher.atOnce(ctx, far)
}

// webhooksBesideSilence measures the events of one account while the server of another takes as many and answers none.
func webhooksBesideSilence(ctx context.Context, b *bench) (err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	far := &receiver{arrived: make(chan time.Time, 1)}
	prompt := httptest.NewServer(far)
	defer prompt.Close()
	over := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer silent.Close()
	defer close(over)
	secrets, err := sealBox(ctx, b)
	if err != nil {
		return err
	}
	heard, err := newWebhookPublisher(ctx, b, secrets, prompt.URL)
	if err != nil {
		return err
	}
	defer heard.batches.Close()
	unheard, err := newWebhookPublisher(ctx, b, secrets, silent.URL)
	if err != nil {
		return err
	}
	defer unheard.batches.Close()
	running, err := startWebhooks(ctx, b, secrets)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopWorker(ctx, running)) }()
	var latencies []time.Duration
	ticker := time.NewTicker(time.Second / webhookRate)
	defer ticker.Stop()
	for range webhookRate * 4 * b.seconds { // longer than the silent one is waited for
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := unheard.publish(ctx); err != nil {
			return err
		}
		latency, err := heard.deliver(ctx, far)
		if err != nil {
			return err
		}
		latencies = append(latencies, latency)
	}
	report("webhook_beside_silent_p99_ms", percentile(latencies, 0.99), "ms")
	return nil
}

// webhookPublisher writes turns of one call.
type webhookPublisher struct {
	b       *bench
	call    *dbsqlc.Call
	turns   atomic.Int32
	batches *db.Batcher[*calls.Turn, struct{}]
}

func newWebhookPublisher(ctx context.Context, b *bench, secrets *seal.Box, url string) (*webhookPublisher, error) {
	customer, err := newCustomer(ctx, b.pool, 1, jsonb.Assistant{})
	if err != nil {
		return nil, err
	}
	p := &webhookPublisher{b: b}
	p.batches = db.NewBatcher(p.write)
	endpoint := uuid.Must(uuid.NewV7())
	return p, db.InTx(ctx, b.pool, func(tx pgx.Tx) error {
		queries := dbsqlc.New()
		_, err := queries.WebhookEndpointInsert(ctx, tx, &dbsqlc.WebhookEndpointInsertParams{
			ID: endpoint, AccountID: customer.accountID, Secret: new(secrets.Seal(hook.NewSecret(), events.SecretContext(endpoint))),
		})
		if err != nil {
			return fmt.Errorf("insert webhook: %w", err)
		}
		_, err = queries.WebhookEndpointPut(ctx, tx, &dbsqlc.WebhookEndpointPutParams{
			AccountID: customer.accountID, URL: &url, Events: []string{callstate.EventTranscript}, Enabled: true,
		})
		if err != nil {
			return fmt.Errorf("set webhook: %w", err)
		}
		p.call, err = calls.InsertDirect(ctx, tx, &calls.DirectCall{
			ID: uuid.Must(
				uuid.NewV7(),
			), AccountID: customer.accountID, AssistantID: customer.assistantID, PhoneNumber: "+31612345601",
			CustomData: []byte(`{}`),
		})
		return err
	})
}

func startWebhooks(ctx context.Context, b *bench, secrets *seal.Box) (*worker.Worker, error) {
	speech, err := all.New(all.Speech{}, b.logger)
	if err != nil {
		return nil, err
	}
	return worker.Start(ctx, worker.Config{
		Pool: b.pool, Queues: worker.DefaultQueues(), Hook: hook.New(hook.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
		Seal: secrets, Logger: b.logger, Drain: time.Second, Phone: worker.PhoneConfig{Speech: speech},
	})
}

func (p *webhookPublisher) publish(ctx context.Context) error {
	turn := &calls.Turn{
		Call:     p.call,
		Position: p.turns.Add(1),
		Role:     "user",
		Text:     "I would like to make an appointment, please.",
	}
	_, err := p.batches.Do(ctx, turn)
	return err
}

// write is how a worker's telephone records what is said in its calls at the same time.
func (p *webhookPublisher) write(ctx context.Context, turns []*calls.Turn) (map[*calls.Turn]struct{}, error) {
	return nil, db.InTx(ctx, p.b.pool, func(tx pgx.Tx) error { return calls.AddTurns(ctx, tx, turns...) })
}

// singly measures how long after its commit an event reaches the server, when there is nothing else to do.
func (p *webhookPublisher) singly(ctx context.Context, far *receiver) error {
	var latencies []time.Duration
	for range webhookSingles {
		latency, err := p.deliver(ctx, far)
		if err != nil {
			return err
		}
		latencies = append(latencies, latency)
	}
	report("webhook_commit_to_attempt_p50_ms", percentile(latencies, 0.50), "ms")
	report("webhook_commit_to_attempt_p99_ms", percentile(latencies, 0.99), "ms")
	return nil
}

// deliver publishes one event and returns how long after its commit it reached the server.
func (p *webhookPublisher) deliver(ctx context.Context, far *receiver) (time.Duration, error) {
	if err := p.publish(ctx); err != nil {
		return 0, err
	}
	committed := time.Now()
	select {
	case at := <-far.arrived:
		return max(0, at.Sub(committed)), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// atOnce measures how many events a second are published, delivered and logged, all at the same time.
func (p *webhookPublisher) atOnce(ctx context.Context, far *receiver) error {
	var (
		publishing sync.WaitGroup
		failed     atomic.Pointer[error]
	)
	started, before := time.Now(), int64(p.turns.Load())
	for range webhookPublishers {
		publishing.Go(func() {
			for time.Since(started) < time.Duration(p.b.seconds)*time.Second {
				if err := p.publish(ctx); err != nil {
					failed.Store(&err)
					return
				}
			}
		})
	}
	publishing.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	published := int64(p.turns.Load()) - before
	report("webhook_published_per_second", float64(published)/time.Since(started).Seconds(), "events/s")
	for {
		var logged int64
		if err := p.b.pool.QueryRow(ctx, "SELECT count(*) FROM delivery_attempt WHERE status_code = 204").Scan(&logged); err != nil {
			return fmt.Errorf("count attempts: %w", err)
		}
		if logged >= before+published {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	report("webhook_deliveries_per_second", float64(published)/time.Since(started).Seconds(), "events/s")
	if received := far.count.Load(); received != before+published {
		return fmt.Errorf("%d events were published and %d received", before+published, received)
	}
	return nil
}

func sealBox(ctx context.Context, b *bench) (*seal.Box, error) {
	box, err := seal.New(seal.GenerateKey("bench"))
	if err != nil {
		return nil, err
	}
	return box, db.UseSealKeys(ctx, b.pool, box)
}
