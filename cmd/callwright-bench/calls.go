package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/providers/files/dir"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/voice/simnet"
	"github.com/callwright/callwright/worker"
	"github.com/callwright/callwright/worker/gateways"
)

const (
	enqueuedCalls  = 200
	scheduledCalls = 1_000
	scheduleAhead  = 8 * time.Second
	patience       = 2 * time.Minute
)

// farEnd is the called side: it counts INVITEs by number and answers busy, so that signalling is all there is.
type farEnd struct {
	network *simnet.Network
	mu      sync.Mutex
	arrived map[string]time.Time
	twice   int
	changed chan struct{}
}

func newFarEnd(ctx context.Context, b *bench) (*farEnd, error) {
	far := &farEnd{arrived: map[string]time.Time{}, changed: make(chan struct{}, 1)}
	network, err := simnet.Start(ctx, simnet.Config{
		Listen: "127.0.0.1:0", Logger: b.logger, OnInvite: far.note,
	})
	far.network = network
	return far, err
}

func (f *farEnd) note(invite simnet.Invite) {
	f.mu.Lock()
	if _, again := f.arrived[invite.To]; again {
		f.twice++
	}
	f.arrived[invite.To] = invite.At
	f.mu.Unlock()
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

// wait waits until the number was called.
func (f *farEnd) wait(ctx context.Context, number string) (time.Time, error) {
	for {
		f.mu.Lock()
		at, ok := f.arrived[number]
		f.mu.Unlock()
		if ok {
			return at, nil
		}
		select {
		case <-f.changed:
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("no INVITE to %s: %w", number, ctx.Err())
		}
	}
}

// startWorker is a worker process of the default settings whose live calls go to proxy.
func startWorker(ctx context.Context, b *bench, proxy string, speech *all.Providers) (*worker.Worker, error) {
	store, err := dir.Open(b.scratch)
	if err != nil {
		return nil, err
	}
	box, err := sealBox(ctx, b)
	if err != nil {
		return nil, err
	}
	return worker.Start(ctx, worker.Config{
		Pool: b.pool, Queues: worker.DefaultQueues(),
		Hook: hook.New(hook.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
		Seal: box, Logger: b.logger, Drain: time.Second,
		Phone: worker.PhoneConfig{
			Gateways: gateways.Config{
				SIP: &gateways.SIP{Listen: cmp.Or(b.sip, "127.0.0.1:0")}, Trunk: &gateways.Trunk{Proxy: proxy}, Web: b.web,
			},
			RingFor: 30 * time.Second, Speech: speech, Files: store,
		},
	})
}

// withWorker runs a measurement against a far end and a worker.
func withWorker(ctx context.Context, b *bench, measure func(ctx context.Context, far *farEnd) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	far, err := newFarEnd(ctx, b)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, far.network.Close(context.WithoutCancel(ctx))) }()
	speech, err := all.New(all.Speech{}, b.logger)
	if err != nil {
		return err
	}
	running, err := startWorker(ctx, b, far.network.Addr().String(), speech)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopWorker(ctx, running)) }()
	return measure(ctx, far)
}

func stopWorker(ctx context.Context, running *worker.Worker) error {
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	return running.Stop(stopping)
}

// enqueueToInvite is the time from the commit of a call's row and job to its INVITE at the far end, one call at a time.
func enqueueToInvite(ctx context.Context, b *bench) error {
	c, err := newCustomer(ctx, b.pool, 1, greeter)
	if err != nil {
		return err
	}
	inserter, err := worker.NewInserter(b.pool, b.logger)
	if err != nil {
		return err
	}
	return withWorker(ctx, b, func(ctx context.Context, far *farEnd) error {
		var latencies []time.Duration
		err := b.costOf(ctx, "enqueued_call_life", enqueuedCalls, func() error {
			for i := range enqueuedCalls {
				number := fmt.Sprintf("+316%06d01", i)
				if err := enqueueCall(ctx, b, inserter, c, number); err != nil {
					return err
				}
				committed := time.Now()
				at, err := far.wait(ctx, number)
				if err != nil {
					return err
				}
				latencies = append(latencies, max(0, at.Sub(committed)))
			}
			return allReported(ctx, b)
		})
		if err != nil {
			return err
		}
		report("enqueue_to_invite_p50_ms", percentile(latencies, 0.50), "ms")
		report("enqueue_to_invite_p99_ms", percentile(latencies, 0.99), "ms")
		return nil
	})
}

func enqueueCall(ctx context.Context, b *bench, inserter queue.Inserter, c *customer, number string) error {
	return db.InTx(ctx, b.pool, func(tx pgx.Tx) error {
		call, err := calls.InsertDirect(ctx, tx, &calls.DirectCall{
			ID: uuid.Must(
				uuid.NewV7(),
			), AccountID: c.accountID, AssistantID: c.assistantID, PhoneNumber: number, CustomData: []byte(`{}`),
		})
		if err != nil {
			return fmt.Errorf("insert call: %w", err)
		}
		return calls.Enqueue(ctx, tx, inserter, call)
	})
}

// scheduleLateness is how long after their common time the INVITEs of a thousand scheduled calls reach the far end, which is
// busy, and what the life of such a call costs until it is reported.
func scheduleLateness(ctx context.Context, b *bench) error {
	c, err := newCustomer(ctx, b.pool, 1, greeter)
	if err != nil {
		return err
	}
	inserter, err := worker.NewInserter(b.pool, b.logger)
	if err != nil {
		return err
	}
	return withWorker(ctx, b, func(ctx context.Context, far *farEnd) error {
		var lateness []time.Duration
		err := b.costOf(ctx, "scheduled_call_life", scheduledCalls, func() error {
			if lateness, err = latenessOf(ctx, b, inserter, c, far); err != nil {
				return err
			}
			return allReported(ctx, b)
		})
		if err != nil {
			return err
		}
		report("schedule_lateness_p50_ms", percentile(lateness, 0.50), "ms")
		report("schedule_lateness_p99_ms", percentile(lateness, 0.99), "ms")
		if far.twice > 0 {
			return fmt.Errorf("%d numbers were called twice", far.twice)
		}
		return nil
	})
}

// latenessOf schedules calls for one time and waits for their INVITEs.
func latenessOf(ctx context.Context, b *bench, inserter queue.Inserter, c *customer, far *farEnd) ([]time.Duration, error) {
	due := time.Now().Add(scheduleAhead)
	var numbers []string
	for i := range scheduledCalls {
		numbers = append(numbers, fmt.Sprintf("+316%06d01", i))
	}
	if err := scheduleCalls(ctx, b, inserter, c, numbers, due); err != nil {
		return nil, err
	}
	if _, err := b.pool.Exec(ctx, "ANALYZE"); err != nil { // as autovacuum has on any database that is a minute old
		return nil, err
	}
	if left := time.Until(due); left < time.Second {
		return nil, fmt.Errorf("the calls were stored only %v before they were due", left)
	}
	var lateness []time.Duration
	for _, number := range numbers {
		at, err := far.wait(ctx, number)
		if err != nil {
			return nil, err
		}
		if at.Before(due) {
			return nil, fmt.Errorf("%s was called %v before its time", number, due.Sub(at))
		}
		lateness = append(lateness, at.Sub(due))
	}
	return lateness, nil
}

// scheduleCalls schedules calls to contacts that it makes.
func scheduleCalls(ctx context.Context, b *bench, inserter queue.Inserter, c *customer, numbers []string, due time.Time) error {
	return db.InTx(ctx, b.pool, func(tx pgx.Tx) error {
		asked := make([]*calls.ScheduledCall, len(numbers))
		for i, number := range numbers {
			contact, err := insertContact(ctx, tx, c, number)
			if err != nil {
				return err
			}
			asked[i] = &calls.ScheduledCall{
				ID: uuid.Must(uuid.NewV7()), AccountID: c.accountID, AssistantID: c.assistantID, ContactID: contact.ID, At: due,
				ScheduledCallDetails: calls.ScheduledCallDetails{Variables: jsonb.Strings{}},
			}
		}
		results, err := calls.MakeScheduled(ctx, tx, inserter, asked...)
		for _, result := range results {
			err = errors.Join(err, result.Err)
		}
		return err
	})
}
