package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/callwright/callwright/worker"
)

// idleWorkers are how many workers have nothing to do at once.
var idleWorkers = []int{1, 4, 16}

// workersSettle is how long workers that just started are left alone.
const workersSettle = 3 * time.Second

// workersIdle is what workers cost that have nothing to do: each alone, and what one more adds.
func workersIdle(ctx context.Context, b *bench) (err error) {
	secrets, err := sealBox(ctx, b)
	if err != nil {
		return err
	}
	var running []*worker.Worker
	defer func() {
		for _, one := range running {
			err = errors.Join(err, stopWorker(ctx, one))
		}
	}()
	var costs []cost
	for _, n := range idleWorkers {
		for len(running) < n {
			one, err := startWebhooks(ctx, b, secrets)
			if err != nil {
				return err
			}
			running = append(running, one)
		}
		idle, err := b.costOfSecond(ctx)
		if err != nil {
			return err
		}
		costs = append(costs, idle)
		report(fmt.Sprintf("workers_idle_%d_statements", n), float64(idle.statements), "/s")
		report(fmt.Sprintf("workers_idle_%d_cpu_ms", n), float64(idle.cpu.Milliseconds()), "ms/s")
		report(fmt.Sprintf("workers_idle_%d_wal_bytes", n), float64(idle.wal), "/s")
	}
	last, more := costs[len(costs)-1].since(costs[0]), idleWorkers[len(idleWorkers)-1]-idleWorkers[0]
	report("workers_idle_more_statements", float64(last.statements)/float64(more), "/s")
	report("workers_idle_more_cpu_ms", last.cpu.Seconds()*1000/float64(more), "ms/s")
	return nil
}

// costOfSecond is what is spent in a second when nothing happens.
func (b *bench) costOfSecond(ctx context.Context) (cost, error) {
	if err := pause(ctx, workersSettle); err != nil {
		return cost{}, err
	}
	return b.costOfSeconds(ctx, func() error { return pause(ctx, time.Duration(b.seconds)*time.Second) })
}

// costOfSeconds is what is spent in each of the seconds for which wait waits.
func (b *bench) costOfSeconds(ctx context.Context, wait func() error) (cost, error) {
	before, err := b.spent(ctx)
	if err != nil {
		return cost{}, err
	}
	if err := wait(); err != nil {
		return cost{}, err
	}
	after, err := b.spent(ctx)
	spent := after.since(before)
	return cost{spent.cpu / time.Duration(b.seconds), spent.statements / int64(b.seconds), spent.wal / int64(b.seconds)}, err
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
