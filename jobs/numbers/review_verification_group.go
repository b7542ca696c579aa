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
	"github.com/callwright/callwright/providers/telco"
)

// ReviewVerificationGroupArgs asks for a group's review to be handed in and followed.
type ReviewVerificationGroupArgs struct {
	VerificationGroupID uuid.UUID `json:"verification_group_id"`
	Submission          int32     `json:"submission"`
	Notice              bool      `json:"notice,omitempty"` // the carrier said that something changed: look once
}

// Kind implements river.JobArgs.
func (ReviewVerificationGroupArgs) Kind() string { return "review_verification_group" }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (ReviewVerificationGroupArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: queue.MaxAttempts}
}

// ReviewVerificationGroupWorker hands a group in and asks the carrier until it has decided.
type ReviewVerificationGroupWorker struct {
	river.WorkerDefaults[ReviewVerificationGroupArgs]
	DB        db.Beginner
	Carriers  *Carriers
	Documents *Documents
}

// Timeout covers documents that must be uploaded again.
func (w *ReviewVerificationGroupWorker) Timeout(*river.Job[ReviewVerificationGroupArgs]) time.Duration {
	return 10 * time.Minute
}

// Work implements river.Worker.
func (w *ReviewVerificationGroupWorker) Work(ctx context.Context, job *river.Job[ReviewVerificationGroupArgs]) error {
	group, err := dbsqlc.New().VerificationGroupGetAny(ctx, w.DB,
		&dbsqlc.VerificationGroupGetAnyParams{ID: job.Args.VerificationGroupID})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("get verification group: %w", err)
	}
	if group.Status != "pending" || group.SubmittedAt == nil || group.Submission != job.Args.Submission {
		return nil
	}
	review, err := w.look(ctx, group)
	if reason, refused := refusal(err); refused {
		review, err = telco.Review{Status: telco.Rejected, Reason: reason}, nil
	}
	if err != nil {
		return w.Carriers.trouble(ctx, err, *group.SubmittedAt)
	}
	if review.Status == telco.Pending {
		if job.Args.Notice {
			return nil
		}
		return river.JobSnooze(patience(w.Carriers.Now(), *group.SubmittedAt))
	}
	return decide(ctx, w.DB, group, review)
}

// look hands the group in, where that was not done, and returns what the carrier says of it.
func (w *ReviewVerificationGroupWorker) look(ctx context.Context, group *dbsqlc.VerificationGroup) (telco.Review, error) {
	carrier := w.Carriers.Of(group.Simulated)
	if group.ExternalGroupID != nil {
		return carrier.Review(ctx, *group.ExternalGroupID)
	}
	group, err := w.haveDocuments(ctx, group)
	if err != nil {
		return telco.Review{}, err
	}
	id, err := carrier.Submit(ctx, dossierOf(group, telco.Local))
	if err != nil {
		return telco.Review{}, err
	}
	err = dbsqlc.New().VerificationGroupSetReview(ctx, w.DB,
		&dbsqlc.VerificationGroupSetReviewParams{ID: group.ID, Submission: group.Submission, ExternalGroupID: &id})
	if err != nil {
		return telco.Review{}, fmt.Errorf("set review: %w", err)
	}
	return carrier.Review(ctx, id)
}

// haveDocuments sees to it that the carrier still has every document: a carrier drops what nothing uses for a while.
func (w *ReviewVerificationGroupWorker) haveDocuments(ctx context.Context,
	group *dbsqlc.VerificationGroup) (*dbsqlc.VerificationGroup, error) {
	documents, err := dbsqlc.New().VerificationDocumentListForGroups(ctx, w.DB, &dbsqlc.VerificationDocumentListForGroupsParams{
		AccountID: group.AccountID, VerificationGroupIds: []uuid.UUID{group.ID},
	})
	if err != nil {
		return nil, fmt.Errorf("list verification documents: %w", err)
	}
	for _, document := range documents {
		id, err := w.Documents.handOver(ctx, w.Carriers.Of(group.Simulated), document)
		if err != nil {
			return nil, err
		}
		if id == db.TextOf(document.ExternalFileID) {
			continue
		}
		if err := documentUploaded(ctx, w.DB, document, id); err != nil {
			return nil, err
		}
	}
	return dbsqlc.New().VerificationGroupGetAny(ctx, w.DB, &dbsqlc.VerificationGroupGetAnyParams{ID: group.ID})
}

func decide(ctx context.Context, tx dbsqlc.DBTX, group *dbsqlc.VerificationGroup, review telco.Review) error {
	params := &dbsqlc.VerificationGroupDecideParams{ID: group.ID, Submission: group.Submission, Status: review.Status}
	if review.Status == telco.Rejected {
		params.RejectionReason = &review.Reason
	}
	if _, err := dbsqlc.New().VerificationGroupDecide(ctx, tx, params); err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("decide verification group: %w", err)
	}
	return nil
}

func reviewReference(group *dbsqlc.VerificationGroup) string {
	return fmt.Sprintf("%s-%d", group.ID, group.Submission)
}
