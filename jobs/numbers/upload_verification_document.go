package numbers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/scan"
)

// UploadVerificationDocumentArgs asks for a document to be handed to the carrier.
type UploadVerificationDocumentArgs struct {
	VerificationDocumentID uuid.UUID `json:"verification_document_id"`
}

// Kind implements river.JobArgs.
func (UploadVerificationDocumentArgs) Kind() string { return "upload_verification_document" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (UploadVerificationDocumentArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// UploadVerificationDocumentWorker has a document scanned and hands it to the carrier. Nobody outside sees a file that
// the scanner refuses.
type UploadVerificationDocumentWorker struct {
	river.WorkerDefaults[UploadVerificationDocumentArgs]
	DB        db.Beginner
	Carriers  *Carriers
	Documents *Documents
	Scanner   scan.Scanner
}

// Timeout covers scan and upload.
func (w *UploadVerificationDocumentWorker) Timeout(*river.Job[UploadVerificationDocumentArgs]) time.Duration {
	return 5 * time.Minute
}

// Work implements river.Worker.
func (w *UploadVerificationDocumentWorker) Work(ctx context.Context, job *river.Job[UploadVerificationDocumentArgs]) error {
	queries := dbsqlc.New()
	document, err := queries.VerificationDocumentGetAny(ctx, w.DB,
		&dbsqlc.VerificationDocumentGetAnyParams{ID: job.Args.VerificationDocumentID})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("get verification document: %w", err)
	}
	if document.Status != "stored" {
		return nil
	}
	group, err := queries.VerificationGroupGetAny(ctx, w.DB, &dbsqlc.VerificationGroupGetAnyParams{ID: document.VerificationGroupID})
	if err != nil {
		return fmt.Errorf("get verification group: %w", err)
	}
	externalID, err := w.scanAndHandOver(ctx, group, document)
	if reason, refused := refusal(err); refused {
		err := queries.VerificationDocumentSetRefused(ctx, w.DB,
			&dbsqlc.VerificationDocumentSetRefusedParams{ID: document.ID, Error: &reason})
		if err != nil {
			return fmt.Errorf("set document refused: %w", err)
		}
		return nil
	}
	if err != nil {
		return w.Carriers.trouble(ctx, err, document.CreatedAt)
	}
	return documentUploaded(ctx, w.DB, document, externalID)
}

func (w *UploadVerificationDocumentWorker) scanAndHandOver(ctx context.Context, group *dbsqlc.VerificationGroup,
	document *dbsqlc.VerificationDocument) (string, error) {
	file, err := w.Documents.open(ctx, document)
	if err != nil {
		return "", fmt.Errorf("open document: %w", err)
	}
	err = w.Scanner.Scan(ctx, file)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	return w.Documents.handOver(ctx, w.Carriers.Of(group.Simulated), document)
}

// documentUploaded notes what the carrier calls a document, on the document and on its group together.
func documentUploaded(ctx context.Context, beginner db.Beginner, document *dbsqlc.VerificationDocument, externalID string) error {
	return db.InTx(ctx, beginner, func(tx pgx.Tx) error {
		changed, err := dbsqlc.New().VerificationDocumentSetUploaded(ctx, tx,
			&dbsqlc.VerificationDocumentSetUploadedParams{ID: document.ID, ExternalFileID: &externalID})
		if err != nil {
			return fmt.Errorf("set document uploaded: %w", err)
		}
		if changed == 0 {
			return nil // deleted meanwhile
		}
		err = dbsqlc.New().VerificationGroupSetFile(ctx, tx, &dbsqlc.VerificationGroupSetFileParams{
			ID: document.VerificationGroupID, DocumentType: document.DocumentType, ExternalFileID: &externalID,
		})
		if err != nil {
			return fmt.Errorf("set file of group: %w", err)
		}
		return nil
	})
}
