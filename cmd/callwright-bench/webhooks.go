package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
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
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/worker"
)

const (
	webhookPublishers = 16
	webhookAccounts   = 8
	webhookCalls      = 25  // of each account
	webhookSingles    = 300 // events that are sent one at a time
	webhookPace       = 20 * time.Millisecond
	webhookRate       = 50 // events a second of an account whose neighbour's server hangs
	// webhookText makes events of 1.5 kB.
	webhookText = "I would like to make an appointment, please. "
)

// receiver is a customer's server that takes everything.
type receiver struct {
	arrived chan time.Time // of events, while somebody waits for one
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	select {
	case r.arrived <- time.Now():
	default:
	}
	w.WriteHeader(http.StatusNoContent)
}

// webhooks measures events on their way: turns of calls of several accounts are written as a worker's telephone writes them,
// each with its event, which is numbered, signed, posted to a server in a process of its own, and logged.
func webhooks(ctx context.Context, b *bench) (err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	far, err := startFarEnds(ctx, behaviorReceive, 0)
	if err != nil {
		return err
	}
	secrets, err := sealBox(ctx, b)
	if err != nil {
		return err
	}
	publisher, err := newWebhookPublisher(ctx, b, secrets, "http://"+far.address, webhookAccounts)
	if err != nil {
		return err
	}
	defer publisher.batches.Close()
	running, err := startWebhooks(ctx, b, secrets)
	if err != nil {
		return err
	}
	singles, err := publisher.singly(ctx)
	if err == nil {
		err = publisher.atOnce(ctx)
	}
	if err := errors.Join(err, stopWorker(ctx, running)); err != nil {
		return err
	}
	noted, err := far.end()
	if err != nil {
		return err
	}
	return publisher.check(noted[behaviorReceive].Answers, singles)
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
	heard, err := newWebhookPublisher(ctx, b, secrets, prompt.URL, 1)
	if err != nil {
		return err
	}
	defer heard.batches.Close()
	unheard, err := newWebhookPublisher(ctx, b, secrets, silent.URL, 1)
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

// webhookPublisher writes turns of calls.
type webhookPublisher struct {
	b         *bench
	calls     []*dbsqlc.Call
	turns     []atomic.Int32 // of each
	published atomic.Int64
	batches   *db.Batcher[*calls.Turn, struct{}]
}

func newWebhookPublisher(ctx context.Context, b *bench, secrets *seal.Box, url string, accounts int) (*webhookPublisher, error) {
	p := &webhookPublisher{b: b, turns: make([]atomic.Int32, accounts*webhookCalls)}
	p.batches = db.NewBatcher(p.write)
	for range accounts {
		if err := p.addAccount(ctx, secrets, url); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *webhookPublisher) addAccount(ctx context.Context, secrets *seal.Box, url string) error {
	customer, err := newCustomer(ctx, p.b.pool, 1, jsonb.Assistant{})
	if err != nil {
		return err
	}
	endpoint := uuid.Must(uuid.NewV7())
	return db.InTx(ctx, p.b.pool, func(tx pgx.Tx) error {
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
		for range webhookCalls {
			call, err := calls.InsertDirect(ctx, tx, &calls.DirectCall{
				ID: uuid.Must(uuid.NewV7()), AccountID: customer.accountID, AssistantID: customer.assistantID,
				PhoneNumber: "+31612345601", CustomData: []byte(`{}`),
			})
			if err != nil {
				return err
			}
			p.calls = append(p.calls, call)
		}
		return nil
	})
}

func startWebhooks(ctx context.Context, b *bench, secrets *seal.Box) (*worker.Worker, error) {
	speech, err := all.New(all.Speech{}, b.logger)
	if err != nil {
		return nil, err
	}
	queues := worker.DefaultQueues()
	delete(queues, queue.Calls) // the calls whose events are sent stay as they are
	return worker.Start(ctx, worker.Config{
		Pool: b.pool, Queues: queues, Hook: hook.New(hook.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
		Seal: secrets, Logger: b.logger, Drain: time.Second, Phone: worker.PhoneConfig{Speech: speech},
	})
}

// publish writes a turn of the next call.
func (p *webhookPublisher) publish(ctx context.Context) error {
	i := int(p.published.Add(1)) % len(p.calls)
	turn := &calls.Turn{
		Call:     p.calls[i],
		Position: p.turns[i].Add(1),
		Role:     "user",
		Text:     strings.Repeat(webhookText, 16),
	}
	_, err := p.batches.Do(ctx, turn)
	return err
}

// write is how a worker's telephone records what is said in its calls at the same time.
func (p *webhookPublisher) write(ctx context.Context, turns []*calls.Turn) (map[*calls.Turn]struct{}, error) {
	return nil, db.InTx(ctx, db.PlanOnce(p.b.pool), func(tx pgx.Tx) error { return calls.AddTurns(ctx, tx, turns...) })
}

// singly publishes events one at a time, when there is nothing else to do, and returns when each was committed.
func (p *webhookPublisher) singly(ctx context.Context) (committed []time.Time, err error) {
	ticker := time.NewTicker(webhookPace)
	defer ticker.Stop()
	for range webhookSingles {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if err := p.publish(ctx); err != nil {
			return nil, err
		}
		committed = append(committed, time.Now())
	}
	return committed, p.settle(ctx)
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
func (p *webhookPublisher) atOnce(ctx context.Context) error {
	var (
		publishing sync.WaitGroup
		failed     atomic.Pointer[error]
	)
	spent, err := allCPUTime(ctx, p.b.pool)
	if err != nil {
		return err
	}
	started, before := time.Now(), p.published.Load()
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
	published := float64(p.published.Load() - before)
	report("webhook_published_per_second", published/time.Since(started).Seconds(), "events/s")
	if err := p.settle(ctx); err != nil {
		return err
	}
	report("webhook_deliveries_per_second", published/time.Since(started).Seconds(), "events/s")
	after, err := allCPUTime(ctx, p.b.pool)
	report("webhook_cpu_us", float64((after-spent).Microseconds())/published, "us/event")
	return err
}

// settle returns when everything that was published is logged as delivered.
func (p *webhookPublisher) settle(ctx context.Context) error {
	for {
		var logged int64
		if err := p.b.pool.QueryRow(ctx, "SELECT count(*) FROM delivery_attempt WHERE status_code = 204").Scan(&logged); err != nil {
			return fmt.Errorf("count attempts: %w", err)
		}
		if logged >= p.published.Load() {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%d of %d events delivered: %w", logged, p.published.Load(), ctx.Err())
		}
	}
}

// check compares what was published with what the server got, and reports how long the singles took.
func (p *webhookPublisher) check(received []int64, singles []time.Time) error {
	if int64(len(received)) != p.published.Load() {
		return fmt.Errorf("%d events were published and %d received", p.published.Load(), len(received))
	}
	latencies := make([]time.Duration, len(singles))
	for i, committed := range singles {
		latencies[i] = max(0, time.Duration(received[i]-committed.UnixNano()))
	}
	report("webhook_alone_p50_ms", percentile(latencies, 0.50), "ms")
	report("webhook_alone_p99_ms", percentile(latencies, 0.99), "ms")
	return nil
}

func sealBox(ctx context.Context, b *bench) (_ *seal.Box, err error) {
	if b.secrets == nil {
		if b.secrets, err = seal.New(seal.GenerateKey("bench")); err == nil {
			err = db.UseSealKeys(ctx, b.pool, b.secrets)
		}
	}
	return b.secrets, err
}
