package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/sealed"
)

// VerificationDocument is an uploaded file that proves something.
type VerificationDocument struct {
	DocumentID     uuid.UUID `json:"document_id"`
	DocumentType   string    `json:"document_type" enum:"company-registration,proof-of-address,copy-id"`
	Status         string    `json:"status" enum:"stored,uploaded,refused" doc:"stored: with us; uploaded: with the carrier; refused: by our virus scanner or the carrier, delete it and upload another."`
	ContentType    string    `json:"content_type" enum:"application/pdf,image/jpeg,image/png" doc:"Recognised by its content."`
	Size           int32     `json:"size" doc:"Bytes."`
	ExternalFileID *string   `json:"external_file_id"`
	Error          *string   `json:"error" doc:"Why it was refused."`
	FileURL        string    `json:"file_url" example:"/v1/verification-groups/0192f0c1-7a55-7c3e-9d2b-1f6a0c8e4b11/documents/0192f0c1-7a55-7c3e-9d2b-1f6a0c8e4b12/file"`
	CreatedAt      time.Time `json:"created_at"`
}

// documentUploadInput is read by the handler: the file is streamed to the store, and is never whole in memory or
// unencrypted on our disk.
type documentUploadInput struct {
	middleware.Idempotency
	GroupPath
	request *http.Request
}

// Resolve implements huma.Resolver.
func (i *documentUploadInput) Resolve(ctx huma.Context) []error {
	i.request, _ = humachi.Unwrap(ctx)
	return i.Idempotency.Resolve(ctx)
}

// DocumentPath is the path of a document of a group.
type DocumentPath struct {
	GroupPath
	DocumentID uuid.UUID `path:"document_id" format:"uuid" doc:"Id of the document."`
}

type documentListInput struct {
	middleware.Page
	GroupPath
}

func (a *API) registerVerificationDocuments(to huma.API) {
	const path = "/v1/verification-groups/{verification_group_id}/documents"
	upload := creates(path, "upload-verification-document", tagVerification, "Upload a document",
		"A PDF, JPG or PNG of at most 20 MiB, recognised by its content. It is stored encrypted and sent to the carrier. A group has one document of each type; 409 when it has this one, is under review or approved.", http.StatusNotFound, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	handleFor(a, to, upload, uploadTimeout, a.documentUpload)
	to.OpenAPI().Paths[path].Post.RequestBody = documentForm() // set afterwards: Huma would parse the body as JSON
	handle(a, to, operation(http.MethodGet, path, "list-verification-documents", tagVerification, "List documents",
		"The documents of a group, newest first.", http.StatusNotFound), a.documentList)
	remove := operation(http.MethodDelete, path+"/{document_id}", "delete-verification-document", tagVerification,
		"Delete a document", "409 while the group is under review.", http.StatusNotFound, http.StatusConflict)
	remove.DefaultStatus = http.StatusNoContent
	handle(a, to, remove, a.documentDelete)
	file := operation(http.MethodGet, path+"/{document_id}/file", "get-verification-document-file", tagVerification,
		"Get a document's file", "The file as it was uploaded.", http.StatusNotFound)
	binary := &huma.MediaType{Schema: &huma.Schema{Type: "string", Format: "binary"}}
	file.Responses = map[string]*huma.Response{"200": {Description: "The file.", Content: map[string]*huma.MediaType{
		"application/pdf": binary, "image/jpeg": binary, "image/png": binary,
	}}}
	handle(a, to, file, a.documentFile)
}

func (a *API) documentUpload(ctx context.Context, in *documentUploadInput) (*middleware.Response[VerificationDocument], error) {
	group, err := dbsqlc.New().VerificationGroupGet(ctx, a.DB,
		&dbsqlc.VerificationGroupGetParams{AccountID: middleware.CallerOf(ctx).AccountID, ID: in.ID})
	if err != nil {
		return nil, apierror.FromDB("verification group", err)
	}
	if err := takesDocuments(group); err != nil && in.Key == "" { // a repetition gets its response whatever became of the group
		return nil, err
	}
	id := newID()
	upload := &documentUpload{store: a.Files, key: numbers.DocumentFileKey(group.AccountID, id), before: a.setDiscard}
	made, err := a.documentStore(ctx, in, id, upload)
	refused, is := errors.AsType[*apierror.Error](err)
	if upload.secret != "" && (is && refused.GetStatus() < http.StatusInternalServerError || err == nil && made.Replayed != "") {
		a.dropUpload(ctx, upload.key)
	}
	return made, err
}

// dropUpload deletes a file that no document names: it was refused, or is the repetition of one that is stored. What fails here is
// left to the job. Whoever is refused again and again would fill the disk before that comes.
func (a *API) dropUpload(ctx context.Context, key string) {
	if err := a.Files.Delete(context.WithoutCancel(ctx), key); err != nil {
		a.Logger.WarnContext(ctx, "refused upload is not deleted yet", "error", err, "request_id", middleware.RequestID(ctx))
	}
}

// takesDocuments returns why a group takes no documents now.
func takesDocuments(group *dbsqlc.VerificationGroup) error {
	switch {
	case underReview(group):
		return apierror.Conflict("The verification group is under review.")
	case group.Status == "approved":
		return apierror.Conflict("The verification group is approved.")
	}
	return nil
}

// documentStore stores the file, and then the document that names it.
func (a *API) documentStore(ctx context.Context, in *documentUploadInput, id uuid.UUID,
	upload *documentUpload) (*middleware.Response[VerificationDocument], error) {
	who, queries := middleware.CallerOf(ctx), dbsqlc.New()
	if err := upload.read(ctx, in.request); err != nil {
		return nil, err
	}
	in.SetFingerprint(sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%x", in.request.URL.RequestURI(), upload.documentType, upload.sha256)))
	return middleware.Once(ctx, a.responses, &in.Idempotency, func(tx pgx.Tx) (*middleware.Response[VerificationDocument], error) {
		group, err := lockGroup(ctx, tx, in.ID)
		if err == nil {
			err = takesDocuments(group)
		}
		if err != nil {
			return nil, err
		}
		row, err := queries.VerificationDocumentInsert(ctx, tx, &dbsqlc.VerificationDocumentInsertParams{
			ID: id, AccountID: who.AccountID, VerificationGroupID: in.ID, DocumentType: upload.documentType,
			ContentType: upload.contentType,
			Size:        int32(upload.size), Sha256: upload.sha256, FileKey: upload.key,
			FileSecret: a.Seal.Seal(upload.secret, numbers.DocumentSecretContext(id)),
		})
		if apierror.Violates(err, "verification_document_type_key") {
			return nil, apierror.Conflict("The verification group has a document of this type: delete it first.").With("document_type",
				"is there already")
		}
		if err != nil {
			return nil, apierror.FromDB("verification document", err)
		}
		if _, err := a.Jobs.InsertTx(ctx, tx, numbers.UploadVerificationDocumentArgs{VerificationDocumentID: id}, nil); err != nil {
			return nil, fmt.Errorf("enqueue upload: %w", err)
		}
		return middleware.Respond(http.StatusCreated, renderDocument(row)), nil
	})
}

// setDiscard enqueues the deletion of a file that is about to be stored, in case the upload fails.
func (a *API) setDiscard(ctx context.Context, key string) error {
	return db.InTx(ctx, a.DB, func(tx pgx.Tx) error {
		_, err := a.Jobs.InsertTx(ctx, tx, numbers.DiscardVerificationFileArgs{FileKey: key},
			&river.InsertOpts{ScheduledAt: a.Now().Add(numbers.UnfinishedUpload)})
		if err != nil {
			return fmt.Errorf("enqueue discard: %w", err)
		}
		return nil
	})
}

func (a *API) documentList(ctx context.Context, in *documentListInput) (*middleware.List[VerificationDocument], error) {
	row, err := dbsqlc.New().VerificationGroupGet(ctx, a.DB,
		&dbsqlc.VerificationGroupGetParams{AccountID: middleware.CallerOf(ctx).AccountID, ID: in.ID})
	if err != nil {
		return nil, apierror.FromDB("verification group", err)
	}
	documents, err := documentsOf(ctx, a.DB, row)
	if err != nil {
		return nil, err
	}
	all := documents[in.ID] // one of each type at most
	before := in.Before()
	rest := slices.DeleteFunc(slices.Clone(all),
		func(document VerificationDocument) bool { return bytes.Compare(document.DocumentID[:], before[:]) >= 0 })
	rest = rest[min(in.Offset, len(rest)):]
	same := func(document VerificationDocument) VerificationDocument { return document }
	where := func(document VerificationDocument) middleware.Position {
		return middleware.Position{ID: document.DocumentID}
	}
	return middleware.NewList(in.Limit, &in.Place, rest, int64(len(all)), same, where)
}

func (a *API) documentDelete(ctx context.Context, in *DocumentPath) (*struct{}, error) {
	return nil, middleware.InChange(ctx, a.DB, func(tx pgx.Tx) error {
		queries := dbsqlc.New()
		group, err := lockGroup(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		switch {
		case underReview(group):
			return apierror.Conflict("The verification group is under review.")
		case group.Status == "approved": // what was approved is what proves it
			return apierror.Conflict("The verification group is approved.")
		}
		row, err := queries.VerificationDocumentDelete(ctx, tx, &dbsqlc.VerificationDocumentDeleteParams{
			AccountID: group.AccountID, VerificationGroupID: group.ID, ID: in.DocumentID,
		})
		if err != nil {
			return apierror.FromDB("verification document", err)
		}
		err = queries.VerificationGroupSetFile(ctx, tx, &dbsqlc.VerificationGroupSetFileParams{ID: group.ID,
			DocumentType: row.DocumentType})
		if err != nil {
			return fmt.Errorf("take file from group: %w", err)
		}
		if _, err := a.Jobs.InsertTx(ctx, tx, numbers.DiscardVerificationFileArgs{FileKey: row.FileKey}, nil); err != nil {
			return fmt.Errorf("enqueue discard: %w", err)
		}
		return nil
	})
}

func (a *API) documentFile(ctx context.Context, in *DocumentPath) (*huma.StreamResponse, error) {
	row, err := dbsqlc.New().VerificationDocumentGet(ctx, a.DB, &dbsqlc.VerificationDocumentGetParams{
		AccountID: middleware.CallerOf(ctx).AccountID, VerificationGroupID: in.ID, ID: in.DocumentID,
	})
	if err != nil {
		return nil, apierror.FromDB("verification document", err)
	}
	secret, err := a.Seal.Open(row.FileSecret, numbers.DocumentSecretContext(row.ID))
	if err != nil {
		return nil, fmt.Errorf("open secret of document: %w", err)
	}
	return &huma.StreamResponse{Body: func(to huma.Context) {
		file, err := sealed.Open(to.Context(), a.Files, row.FileKey, secret)
		if err != nil {
			if errors.Is(err, files.ErrNotFound) {
				err = apierror.NotFound("file")
			}
			a.writeError(to, err)
			return
		}
		defer func() {
			if err := file.Close(); err != nil {
				a.Logger.ErrorContext(to.Context(), "document not closed", "error", err, "document_id", row.ID)
			}
		}()
		to.SetHeader("Content-Type", row.ContentType)
		to.SetHeader("Content-Length", strconv.Itoa(int(row.Size))) // a truncated file ends the response early
		to.SetHeader("Content-Disposition", "attachment; filename="+row.DocumentType+fileExtensions[row.ContentType])
		to.SetHeader("X-Content-Type-Options", "nosniff")
		if _, err := io.Copy(to.BodyWriter(), file); err != nil && to.Context().Err() == nil {
			a.Logger.ErrorContext(to.Context(), "document not sent", "error", err, "document_id", row.ID)
		}
	}}, nil
}

func renderDocument(row *dbsqlc.VerificationDocument) VerificationDocument {
	return VerificationDocument{
		DocumentID: row.ID, DocumentType: row.DocumentType, Status: row.Status, ContentType: row.ContentType, Size: row.Size,
		ExternalFileID: row.ExternalFileID, Error: row.Error, CreatedAt: row.CreatedAt.UTC(),
		FileURL: fmt.Sprintf("/v1/verification-groups/%s/documents/%s/file", row.VerificationGroupID, row.ID),
	}
}
