package numbers

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/sealed"
	"github.com/callwright/callwright/providers/telco"
)

const (
	deniedWait      = 5 * time.Minute  // until a carrier that denied us is asked again: an operator has to act meanwhile
	longestPatience = 15 * time.Minute // between two questions about the same thing
)

// Carriers are the carriers that numbers come from.
type Carriers struct {
	telco.Carriers
	Logger *slog.Logger
	Now    func() time.Time
}

// patience returns how long to wait before asking a carrier again about what is under way since then: a quarter of the time
// that it took so far, so the answer is at most a quarter late.
func patience(now, since time.Time) time.Duration {
	return min(max(now.Sub(since)/4, 500*time.Millisecond), longestPatience)
}

// trouble returns what a job does when a carrier did not answer. It sleeps on, which uses up no attempts: the carrier
// comes back some day. What is no fault is a trouble of ours, and returned as it is.
func (c *Carriers) trouble(ctx context.Context, err error, since time.Time) error {
	known, isFault := errors.AsType[*fault.Error](err)
	switch {
	case !isFault || ctx.Err() != nil:
		return err
	case known.Kind == fault.Denied:
		c.Logger.ErrorContext(ctx, "the carrier denies us; an operator must act", "error", err)
		return river.JobSnooze(deniedWait)
	}
	c.Logger.WarnContext(ctx, "the carrier does not answer", "error", err)
	return river.JobSnooze(max(known.RetryAfter, patience(c.Now(), since), time.Second))
}

// refusal returns what a carrier or a scanner says against a thing itself; false when it was another trouble.
func refusal(err error) (string, bool) {
	known, isFault := errors.AsType[*fault.Error](err)
	if !isFault || known.Kind != fault.Refused {
		return "", false
	}
	if known.Message == "" {
		return "It was refused.", true
	}
	return known.Message, true
}

// dossierOf returns what a group hands in for numbers of a type.
func dossierOf(group *dbsqlc.VerificationGroup, numberType string) telco.Dossier {
	return telco.Dossier{
		Reference: reviewReference(group), Country: "NL", Type: numberType, BusinessName: group.BusinessName,
		FirstName: group.ContactPersonFirstName, LastName: group.ContactPersonLastName, Phone: group.ContactPersonPhone,
		AddressID: db.TextOf(group.ExternalAddressID), CompanyRegistration: db.TextOf(group.ExternalCompanyRegistrationFileID),
		Identification: db.TextOf(group.ExternalIdentificationFileID), ProofOfAddress: db.TextOf(group.ExternalProofOfAddressFileID),
	}
}

// DocumentSecretContext returns what the sealed secret of a document's file is bound to.
func DocumentSecretContext(documentID uuid.UUID) string {
	return "verification_document.file_secret:" + documentID.String()
}

// Documents are the files of verification documents.
type Documents struct {
	Files files.Store
	Seal  seal.Opener
}

// open reads a document's file.
func (d *Documents) open(ctx context.Context, document *dbsqlc.VerificationDocument) (io.ReadCloser, error) {
	secret, err := d.Seal.Open(document.FileSecret, DocumentSecretContext(document.ID))
	if err != nil {
		return nil, err
	}
	return sealed.Open(ctx, d.Files, document.FileKey, secret)
}

// Extension returns how the name of a document ends that is of the type.
func Extension(contentType string) string {
	return map[string]string{"application/pdf": ".pdf", "image/jpeg": ".jpg", "image/png": ".png"}[contentType]
}

// handOver gives a document to its group's carrier, or finds that it has it.
func (d *Documents) handOver(ctx context.Context, carrier telco.Carrier, document *dbsqlc.VerificationDocument) (string, error) {
	return carrier.UploadDocument(ctx, telco.Document{
		Reference: document.ID.String(), Filename: document.DocumentType + Extension(document.ContentType),
		ContentType: document.ContentType,
		Size:        int64(document.Size), Open: func(ctx context.Context) (io.ReadCloser, error) { return d.open(ctx, document) },
	})
}
