package numbers

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

// DiscardVerificationFileArgs asks for a file to be deleted if no document names it.
type DiscardVerificationFileArgs struct {
	FileKey string `json:"file_key"`
}

// Kind implements river.JobArgs.
func (DiscardVerificationFileArgs) Kind() string { return "discard_verification_file" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (DiscardVerificationFileArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// DocumentFiles is what the keys of the files of all documents begin with.
const DocumentFiles = "verification/"

// DocumentFileKey returns the key of a document's file.
func DocumentFileKey(accountID, documentID uuid.UUID) string {
	return DocumentFiles + accountID.String() + "/" + documentID.String()
}

// UnfinishedUpload is after what time the file of an upload that no document names is a leftover. It is set before the
// file is stored, so that no crash leaves a file that nobody knows.
const UnfinishedUpload = time.Hour

// DiscardVerificationFileWorker deletes files of documents that were deleted, and of uploads that came to nothing.
type DiscardVerificationFileWorker struct {
	river.WorkerDefaults[DiscardVerificationFileArgs]
	DB    dbsqlc.DBTX
	Files files.Store
}

// Work implements river.Worker.
func (w *DiscardVerificationFileWorker) Work(ctx context.Context, job *river.Job[DiscardVerificationFileArgs]) error {
	named, err := dbsqlc.New().VerificationDocumentNamesFile(ctx, w.DB,
		&dbsqlc.VerificationDocumentNamesFileParams{FileKey: job.Args.FileKey})
	if err != nil {
		return fmt.Errorf("look for document of file: %w", err)
	}
	if named {
		return nil
	}
	return w.Files.Delete(ctx, job.Args.FileKey)
}
