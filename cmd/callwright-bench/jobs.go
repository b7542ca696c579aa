package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/callwright/callwright/worker"
	"github.com/callwright/callwright/worker/driver"
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
// River has also recorded them as completed; and through River alone with a queue ten times as large.
func jobsPerSecond(ctx context.Context, b *bench) error {
	ours := worker.Settings(worker.DefaultQueues(), b.logger)
	ours.PeriodicJobs = nil // their kinds have no worker here
	rate, err := jobsOf(ctx, b, "job", driver.New(b.pool), ours)
	if err != nil {
		return err
	}
	bare := &river.Config{
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1000}}, FetchCooldown: ours.FetchCooldown,
		FetchPollInterval: ours.FetchPollInterval, Logger: b.logger,
	}
	alone, err := jobsOf(ctx, b, "job_of_river_alone", riverpgxv5.New(b.pool), bare)
	if err != nil {
		return err
	}
	report("jobs_per_second", rate, "jobs/s")
	report("jobs_to_river_alone", rate/alone, "ratio")
	return nil
}

// jobsOf returns how many jobs a second a client with the driver and the settings works.
func jobsOf(ctx context.Context, b *bench, name string, with riverdriver.Driver[pgx.Tx],
	settings *river.Config) (rate float64, err error) {
	noop := &noopWorker{done: make(chan struct{})}
	noop.left.Store(noopJobs)
	settings.Workers = river.NewWorkers()
	river.AddWorker(settings.Workers, noop)
	client, err := river.NewClient(with, settings)
	if err != nil {
		return 0, fmt.Errorf("make river client: %w", err)
	}
	if err := insertNoops(ctx, client); err != nil {
		return 0, err
	}
	err = b.costOf(ctx, name, noopJobs, func() error {
		started := time.Now()
		if err := client.Start(ctx); err != nil {
			return fmt.Errorf("start river: %w", err)
		}
		select {
		case <-noop.done:
		case <-ctx.Done():
			return errors.Join(ctx.Err(), client.Stop(context.WithoutCancel(ctx)))
		}
		if err := client.Stop(ctx); err != nil {
			return fmt.Errorf("stop river: %w", err)
		}
		rate = noopJobs / time.Since(started).Seconds()
		return nil
	})
	return rate, err
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
