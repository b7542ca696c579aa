package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// The queues. Their sizes per worker process are the operator's to set.
const (
	QueueCalls     = "calls"            // calls in progress: a job here lasts as long as its call; its size bounds all calls of a process
	QueueSchedule  = "schedule"         // scheduled calls falling due; a job here lasts as long as its call too
	QueueWebhooks  = "webhooks"         // deliveries to customers' servers
	QueueAnalysis  = "analysis"         // what language models say of ended calls
	QueueKnowledge = "knowledge"        // texts that an embedding model embeds
	QueueDefault   = river.QueueDefault // everything else
)

// maxAttempts of a job that must happen: troubles of ours, such as a database that is away or a key that is missing, are
// mended by somebody some day, and until then the job waits. What the world refuses ends a job by its own rules.
const maxAttempts = 1000

// lowestPriority is River's: jobs of it are fetched when no others wait.
const lowestPriority = 4

// RetryPolicy implements river.ClientRetryPolicy for all jobs: they fail of trouble of ours, such as a database that
// restarts, while customers wait. What others refuse is each job's own affair.
type RetryPolicy struct{}

// NextRetry implements river.ClientRetryPolicy.
func (RetryPolicy) NextRetry(job *rivertype.JobRow) time.Time {
	return retryAt(time.Now(), job.Attempt)
}

// retryAt is after 1, 2, 4, … seconds, at most five minutes.
func retryAt(now time.Time, attempt int) time.Time {
	return now.Add(min(time.Second<<min(max(attempt-1, 0), 10), 5*time.Minute))
}

// Inserter enqueues jobs in a transaction. *river.Client[pgx.Tx] is one.
type Inserter interface {
	InsertTx(ctx context.Context, tx pgx.Tx, args river.JobArgs, opts *river.InsertOpts) (*rivertype.JobInsertResult, error)
	InsertManyTx(ctx context.Context, tx pgx.Tx, params []river.InsertManyParams) ([]*rivertype.JobInsertResult, error)
}

// enqueue inserts jobs, if there are any.
func enqueue(ctx context.Context, tx pgx.Tx, in Inserter, params []river.InsertManyParams) error {
	if len(params) == 0 {
		return nil
	}
	if _, err := in.InsertManyTx(ctx, tx, params); err != nil {
		return fmt.Errorf("enqueue jobs: %w", err)
	}
	return nil
}
