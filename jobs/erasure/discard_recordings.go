package erasure

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/providers/files"
)

// recordingsPerJob bounds the arguments of one job.
const recordingsPerJob = 500

// DiscardRecordingsArgs asks for the recordings of calls of an account to be deleted, whether they have any or not.
type DiscardRecordingsArgs struct {
	AccountID uuid.UUID   `json:"account_id"`
	CallIDs   []uuid.UUID `json:"call_ids"`
}

// Kind implements river.JobArgs.
func (DiscardRecordingsArgs) Kind() string { return "discard_recordings" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (DiscardRecordingsArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// DiscardRecordingsWorker deletes the files of calls that were emptied before, in the transaction that made the job. A
// recording that is put later finds its call emptied; see recordings.Keep. Deleting a file twice is harmless.
type DiscardRecordingsWorker struct {
	river.WorkerDefaults[DiscardRecordingsArgs]
	Files files.Store
}

// Timeout leaves time for a long history.
func (w *DiscardRecordingsWorker) Timeout(*river.Job[DiscardRecordingsArgs]) time.Duration {
	return 10 * time.Minute
}

// Work implements river.Worker.
func (w *DiscardRecordingsWorker) Work(ctx context.Context, job *river.Job[DiscardRecordingsArgs]) error {
	for _, callID := range job.Args.CallIDs {
		if err := w.Files.Delete(ctx, recordings.Key(job.Args.AccountID, callID)); err != nil {
			return fmt.Errorf("delete recording: %w", err)
		}
	}
	return nil
}

// discardRecordings asks for the recordings of calls to be deleted that the transaction empties.
func discardRecordings(ctx context.Context, tx pgx.Tx, in queue.Inserter, who *person) error {
	var params []river.InsertManyParams
	for ids := range slices.Chunk(who.calls, recordingsPerJob) {
		params = append(params, river.InsertManyParams{Args: DiscardRecordingsArgs{AccountID: who.accountID, CallIDs: ids}})
	}
	return queue.Insert(ctx, tx, in, params)
}
