package calls

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/files"
)

// recordingsPerBatch bounds what one batch holds in memory.
const recordingsPerBatch = 100

// DiscardRecordingsArgs asks for the recordings of an account's deleted and erased calls to be deleted.
type DiscardRecordingsArgs struct {
	AccountID uuid.UUID `json:"account_id"`
}

// Kind implements river.JobArgs.
func (DiscardRecordingsArgs) Kind() string { return "discard_recordings" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (DiscardRecordingsArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// DiscardRecordingsWorker deletes files whose calls are emptied, and then forgets their keys: a process that dies
// between the two deletes a file that is gone, which is no error.
type DiscardRecordingsWorker struct {
	river.WorkerDefaults[DiscardRecordingsArgs]
	DB    dbsqlc.DBTX
	Files files.Store
}

// Timeout leaves time for a long history.
func (w *DiscardRecordingsWorker) Timeout(*river.Job[DiscardRecordingsArgs]) time.Duration {
	return 10 * time.Minute
}

// Work implements river.Worker.
func (w *DiscardRecordingsWorker) Work(ctx context.Context, job *river.Job[DiscardRecordingsArgs]) error {
	queries, accountID := dbsqlc.New(), job.Args.AccountID
	for {
		calls, err := queries.DiscardedRecordingList(ctx, w.DB, &dbsqlc.DiscardedRecordingListParams{AccountID: accountID, Max: recordingsPerBatch})
		if err != nil {
			return fmt.Errorf("list recordings to discard: %w", err)
		}
		for _, call := range calls {
			if err := w.Files.Delete(ctx, call.RecordingKey); err != nil {
				return fmt.Errorf("delete recording: %w", err)
			}
			if err := queries.DiscardedRecordingForget(ctx, w.DB, &dbsqlc.DiscardedRecordingForgetParams{AccountID: accountID, ID: call.ID}); err != nil {
				return fmt.Errorf("forget recording: %w", err)
			}
		}
		if len(calls) < recordingsPerBatch {
			return nil
		}
	}
}
