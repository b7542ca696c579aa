// Package queue is what the subjects of package jobs have in common: the names of the queues, how often and when a job is
// tried again, and how jobs are enqueued in a transaction. It stands below the subjects, because package jobs, which lists
// their workers, imports them. It knows River; it must not know any job.
package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
)

// The queues. Their sizes per worker process are the operator's to set.
const (
	Calls     = "calls"            // calls in progress: a job here lasts as long as its call; its size bounds all calls of a process
	Schedule  = "schedule"         // scheduled calls falling due; a job here lasts as long as its call too
	Webhooks  = "webhooks"         // deliveries to customers' servers that failed or are repeated; its size bounds first ones too
	Analysis  = "analysis"         // what language models say of ended calls
	Knowledge = "knowledge"        // texts that an embedding model embeds
	Default   = river.QueueDefault // everything else
)

// Names returns the names of all queues, sorted.
func Names() []string { return []string{Analysis, Calls, Default, Knowledge, Schedule, Webhooks} }

// MaxAttempts of a job that must happen: troubles of ours, such as a database that is away or a key that is missing, are
// mended by somebody some day, and until then the job waits. What the world refuses ends a job by its own rules.
const MaxAttempts = 1000

// LowestPriority is River's: jobs of it are fetched when no others wait.
const LowestPriority = 4

// RetryPolicy implements river.ClientRetryPolicy for all jobs: they fail of trouble of ours, such as a database that
// restarts, while customers wait. What others refuse is each job's own affair.
type RetryPolicy struct{}

// NextRetry implements river.ClientRetryPolicy.
func (RetryPolicy) NextRetry(job *rivertype.JobRow) time.Time {
	return RetryAt(time.Now(), job.Attempt)
}

// RetryAt returns when a job is tried again: after 1, 2, 4, … seconds, at most five minutes.
func RetryAt(now time.Time, attempt int) time.Time {
	return now.Add(min(time.Second<<min(max(attempt-1, 0), 10), 5*time.Minute))
}

// Inserter enqueues jobs in a transaction. *river.Client[pgx.Tx] is one.
type Inserter interface {
	InsertTx(ctx context.Context, tx pgx.Tx, args river.JobArgs, opts *river.InsertOpts) (*rivertype.JobInsertResult, error)
	InsertManyTx(ctx context.Context, tx pgx.Tx, params []river.InsertManyParams) ([]*rivertype.JobInsertResult, error)
}

// Insert enqueues jobs, if there are any.
func Insert(ctx context.Context, tx pgx.Tx, in Inserter, params []river.InsertManyParams) error {
	if len(params) == 0 {
		return nil
	}
	if _, err := in.InsertManyTx(ctx, tx, params); err != nil {
		return fmt.Errorf("enqueue jobs: %w", err)
	}
	return nil
}

// InsertTopic is what River calls its notifications of inserted jobs. It has their channel in Postgres's current schema.
const InsertTopic = "river_insert"

// inserted is what such a notification says.
type inserted struct {
	Queue string `json:"queue"`
}

// Wake has workers ask a queue for jobs when tx is committed. What inserts jobs does it; so must whoever has one run earlier.
func Wake(ctx context.Context, tx dbsqlc.DBTX, queue string) error {
	payload, err := Waking(queue)
	if err != nil {
		return err
	}
	return db.Notify(ctx, tx, "."+InsertTopic, payload)
}

// Waking returns what a notification says that has workers ask a queue for jobs.
func Waking(queue string) (payload string, err error) {
	encoded, err := json.Marshal(inserted{queue})
	if err != nil {
		return "", fmt.Errorf("encode notification of jobs: %w", err)
	}
	return string(encoded), nil
}

// Woken returns the queue that a notification is about.
func Woken(payload string) (string, error) {
	var about inserted
	if err := json.Unmarshal([]byte(payload), &about); err != nil {
		return "", fmt.Errorf("read notification of jobs: %w", err)
	}
	return about.Queue, nil
}
