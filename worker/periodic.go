package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/knowledge"
	"github.com/callwright/callwright/jobs/maintenance"
	"github.com/callwright/callwright/metrics"
)

// periodicJobs is the cron table. Each runs at the leader's start too, since the table lives in its memory and a
// period longer than the time between deploys would otherwise never pass.
func periodicJobs() []*river.PeriodicJob {
	return []*river.PeriodicJob{
		river.NewPeriodicJob(river.PeriodicInterval(time.Hour), func() (river.JobArgs, *river.InsertOpts) {
			return maintenance.PruneExpiredArgs{}, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByPeriod: time.Hour}}
		}, &river.PeriodicJobOpts{ID: "prune_expired", RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(time.Hour), func() (river.JobArgs, *river.InsertOpts) {
			// soon, where the model is new
			return knowledge.CatchUpEmbeddingsArgs{}, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByPeriod: time.Minute}}
		}, &river.PeriodicJobOpts{ID: "catch_up_embeddings", RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(time.Hour), func() (river.JobArgs, *river.InsertOpts) {
			return maintenance.CheckFilesArgs{}, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByPeriod: time.Hour}}
		}, &river.PeriodicJobOpts{ID: "check_files", RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(time.Hour), func() (river.JobArgs, *river.InsertOpts) {
			return maintenance.EnforceRetentionArgs{}, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByPeriod: time.Hour}}
		}, &river.PeriodicJobOpts{ID: "enforce_retention", RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(24*time.Hour), func() (river.JobArgs, *river.InsertOpts) {
			return maintenance.MakePartitionsArgs{}, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByPeriod: time.Hour}}
		}, &river.PeriodicJobOpts{ID: "make_partitions", RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(5*time.Second), func() (river.JobArgs, *river.InsertOpts) {
			return calls.WakeWaitingCallsArgs{}, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByPeriod: 5 * time.Second}}
		}, &river.PeriodicJobOpts{ID: "wake_waiting_calls"}),
		river.NewPeriodicJob(river.PeriodicInterval(3*time.Second), func() (river.JobArgs, *river.InsertOpts) {
			return events.WakeDeliveriesArgs{}, &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByPeriod: 3 * time.Second}}
		}, &river.PeriodicJobOpts{ID: "wake_deliveries"}),
	}
}

// pause waits for d, or less when ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// logJobs writes one line per job: routine ones at debug level, failures as warnings.
type logJobs struct {
	river.MiddlewareDefaults
	logger *slog.Logger
}

// Work implements rivertype.WorkerMiddleware.
func (m *logJobs) Work(ctx context.Context, job *rivertype.JobRow, doInner func(context.Context) error) error {
	started := time.Now()
	metrics.Since(metrics.JobLateness.WithLabelValues(job.Kind), job.ScheduledAt)
	err := doInner(ctx)
	level, outcome := slog.LevelDebug, "done"
	var snooze *rivertype.JobSnoozeError
	switch {
	case errors.As(err, &snooze):
		outcome = "snoozed"
	case err != nil:
		level, outcome = slog.LevelWarn, "failed"
	}
	metrics.Jobs.WithLabelValues(job.Kind, outcome).Inc()
	metrics.Since(metrics.JobDuration.WithLabelValues(job.Kind), started)
	m.logger.Log(ctx, level, "job", "kind", job.Kind, "job_id", job.ID, "attempt", job.Attempt, "outcome", outcome,
		"duration_ms", time.Since(started).Milliseconds(), "error", err)
	return err
}
