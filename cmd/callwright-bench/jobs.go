package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/callwright/callwright/worker"
)

const noopJobs = 60_000

type noopArgs struct{}

func (noopArgs) Kind() string { return "noop" }

type noopWorker struct {
	river.WorkerDefaults[noopArgs]
	left atomic.Int64
	done chan struct{}
}

func (w *noopWorker) Work(context.Context, *river.Job[noopArgs]) error {
	if w.left.Add(-1) == 0 {
		close(w.done)
	}
	return nil
}

// jobsPerSecond works jobs that do nothing through the settings of every worker process, in the default queue, until
// River has also recorded them as completed.
func jobsPerSecond(ctx context.Context, b *bench) (err error) {
	noop := &noopWorker{done: make(chan struct{})}
	noop.left.Store(noopJobs)
	settings := worker.Settings(worker.DefaultQueues(), b.logger)
	settings.PeriodicJobs = nil // their kinds have no worker here
	settings.Workers = river.NewWorkers()
	river.AddWorker(settings.Workers, noop)
	client, err := river.NewClient(riverpgxv5.New(b.pool), settings)
	if err != nil {
		return fmt.Errorf("make river client: %w", err)
	}
	if err := insertNoops(ctx, client); err != nil {
		return err
	}
	return b.costOf(ctx, "job", noopJobs, func() error {
		started := time.Now()
		if err := client.Start(ctx); err != nil {
			return fmt.Errorf("start river: %w", err)
		}
		select {
		case <-noop.done:
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err := errors.Join(err, client.Stop(context.WithoutCancel(ctx))); err != nil {
			return err
		}
		report("jobs_per_second", noopJobs/time.Since(started).Seconds(), "jobs/s")
		return nil
	})
}

func insertNoops(ctx context.Context, client *river.Client[pgx.Tx]) error {
	batch := make([]river.InsertManyParams, 5_000)
	for i := range batch {
		batch[i] = river.InsertManyParams{Args: noopArgs{}}
	}
	for range noopJobs / len(batch) {
		if _, err := client.InsertManyFast(ctx, batch); err != nil {
			return fmt.Errorf("insert jobs: %w", err)
		}
	}
	return nil
}
