package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/worker/lease"
)

const (
	livenessWorkers = 100
	livenessHosts   = 10
	livenessJobs    = 20          // that each works
	livenessEvery   = time.Second // as supervisors look
)

// liveness is what it costs that workers find out which of them are dead, by one worker and by a hundred on ten hosts, and what
// it would cost a hundred if each looked at all. Every worker works some jobs.
func liveness(ctx context.Context, b *bench) error {
	one, err := b.livenessOf(ctx, 1, false)
	if err != nil {
		return err
	}
	many, err := b.livenessOf(ctx, livenessWorkers, false)
	if err != nil {
		return err
	}
	all, err := b.livenessOf(ctx, livenessWorkers, true)
	if err != nil {
		return err
	}
	report("liveness_statements_per_second_1", float64(one.statements), "/s")
	report("liveness_statements_per_second_100", float64(many.statements), "/s")
	report("liveness_cpu_ms_per_second_1", one.cpu.Seconds()*1000, "ms/s")
	report("liveness_cpu_ms_per_second_100", many.cpu.Seconds()*1000, "ms/s")
	report("liveness_cpu_per_worker_100_to_1", many.cpu.Seconds()/livenessWorkers/one.cpu.Seconds(), "ratio")
	report("liveness_gain_over_all_judging", all.cpu.Seconds()/many.cpu.Seconds(), "ratio")
	return nil
}

// livenessOf has workers hold leases and look for dead ones.
func (b *bench) livenessOf(ctx context.Context, workers int, all bool) (second cost, err error) {
	pool, err := pgxpool.NewWithConfig(ctx, b.pool.Config())
	if err != nil {
		return second, err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, "TRUNCATE river_job"); err != nil {
		return second, err
	}
	running, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	failed := make(chan error, 3*workers)
	for i := range workers {
		if err := b.startLiveness(running, &group, pool, i, all, failed); err != nil {
			return second, err
		}
	}
	if err := sleepUnless(ctx, failed, 4*livenessEvery); err != nil { // until two judge
		return second, err
	}
	if _, err := pool.Exec(ctx, "ANALYZE"); err != nil { // as autovacuum does in the first minute
		return second, err
	}
	return b.costOfSeconds(ctx, func() error { return sleepUnless(ctx, failed, time.Duration(b.seconds)*time.Second) })
}

// startLiveness has a worker hold a lease and look until ctx ends.
func (b *bench) startLiveness(ctx context.Context, group *sync.WaitGroup, pool *pgxpool.Pool, i int, all bool,
	failed chan<- error) error {
	process := fmt.Sprintf("bench-%v-%03d", all, i)
	own, err := lease.Acquire(ctx, pool, process, "", b.logger)
	if err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, "UPDATE process_lease SET boot_id = $2 WHERE process_id = $1", process,
		fmt.Sprint("host-", i%livenessHosts)); err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, `INSERT INTO river_job (kind, args, max_attempts, queue, state, attempt, attempted_at, attempted_by)
		SELECT 'none', '{}', 1, 'none', 'running', 1, now(), ARRAY[$1::text] FROM generate_series(1, $2)`, process,
		livenessJobs); err != nil {
		return err
	}
	group.Go(func() {
		own.Run(ctx, func(cause error) { failed <- cause })
		if err := own.Release(context.WithoutCancel(ctx), pool); err != nil {
			failed <- err
		}
	})
	group.Go(func() {
		if err := watchLeases(ctx, pool, own, all); err != nil && ctx.Err() == nil {
			failed <- err
		}
	})
	return nil
}

// watchLeases looks as a supervisor does, or, when all judge, at all leases.
func watchLeases(ctx context.Context, pool *pgxpool.Pool, own *lease.Lease, all bool) error {
	watch := lease.NewWatch(own)
	tick := time.NewTicker(livenessEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		var dead []*dbsqlc.ProcessLeaseListRow
		var err error
		if all {
			leases, listErr := dbsqlc.New().ProcessLeaseList(ctx, pool)
			dead, err = watch.Dead(leases), listErr
		} else {
			dead, err = watch.Find(ctx, pool)
		}
		if err != nil {
			return err
		}
		if len(dead) > 0 {
			return fmt.Errorf("%s was found dead", dead[0].ProcessID)
		}
		watch.Looked()
	}
}

// sleepUnless returns early when something failed.
func sleepUnless(ctx context.Context, failed <-chan error, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-failed:
		return err
	case <-time.After(d):
		return nil
	}
}
