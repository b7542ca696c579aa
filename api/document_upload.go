package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/sealed"
)

const (
	maxUpload     = 20 << 20 // bytes of a file
	maxUploadBody = maxUpload + 64<<10
	uploadTimeout = 55 * time.Second // less than the read timeout of a connection
	sniffed       = 512              // bytes that identify a file's type
)

// fileExtensions are the accepted types of files.
var fileExtensions = map[string]string{"application/pdf": ".pdf", "image/jpeg": ".jpg", "image/png": ".png"}

var documentTypes = []string{"company-registration", "proof-of-address", "copy-id"}

// documentForm returns the body of an upload for the OpenAPI document.
func documentForm() *huma.RequestBody {
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"multipart/form-data": {
		Schema: &huma.Schema{
			Type: huma.TypeObject, Required: []string{"document_type", "file"},
			Properties: map[string]*huma.Schema{
				"document_type": {Type: huma.TypeString, Enum: []any{"company-registration", "proof-of-address", "copy-id"},
					Description: "What the document proves."},
				"file": {Type: huma.TypeString, Format: "binary",
					Description: "PDF, JPG or PNG, at most 20 MiB. Its name means nothing."},
			},
		},
		Encoding: map[string]*huma.Encoding{"file": {ContentType: "application/pdf, image/jpeg, image/png"}},
	}}}
}

// documentUpload reads a multipart body. Its parts may come in any order.
type documentUpload struct {
	store  files.Store
	key    string
	before func(ctx context.Context, key string) error // runs before the file is stored

	documentType string
	contentType  string
	size         int64
	sha256       []byte
	secret       string // decrypts the stored file
}

// read reads all parts and returns an error that names everything that is wrong with them.
func (u *documentUpload) read(ctx context.Context, r *http.Request) error {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "multipart/form-data" {
		return apierror.New(http.StatusUnsupportedMediaType, "unsupported_media_type", "The body is not multipart/form-data.")
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return apierror.Invalid().With("body", "is not multipart/form-data")
	}
	wrong, seen := apierror.Invalid(), map[string]bool{}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return unreadable(err)
		}
		name := part.FormName()
		if seen[name] {
			name = ""
		}
		seen[name] = true
		if err := u.take(ctx, wrong, name, part); err != nil {
			return err
		}
	}
	for _, name := range []string{"document_type", "file"} {
		if !seen[name] {
			wrong.With(name, "is required")
		}
	}
	if len(wrong.Body.Details) > 0 {
		return wrong
	}
	return nil
}

func (u *documentUpload) take(ctx context.Context, wrong *apierror.Error, name string, part *multipart.Part) error {
	switch name {
	case "document_type":
		text, err := io.ReadAll(io.LimitReader(part, 100))
		if err != nil {
			return unreadable(err)
		}
		if u.documentType = string(text); !slices.Contains(documentTypes, u.documentType) {
			wrong.With("document_type", `expected value to be one of "company-registration, proof-of-address, copy-id"`)
		}
	case "file":
		return u.takeFile(ctx, wrong, part)
	default:
		wrong.With("body", "has a part besides one document_type and one file")
	}
	return nil
}

// takeFile stores the file if its first bytes are those of an accepted type.
func (u *documentUpload) takeFile(ctx context.Context, wrong *apierror.Error, part io.Reader) error {
	head := make([]byte, sniffed)
	n, err := io.ReadFull(part, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return unreadable(err)
	}
	head = head[:n]
	u.contentType = http.DetectContentType(head)
	if _, taken := fileExtensions[u.contentType]; !taken {
		wrong.With("file", "is not a PDF, JPG or PNG")
		return nil
	}
	if len(wrong.Body.Details) > 0 {
		return nil
	}
	if err := u.before(ctx, u.key); err != nil {
		return err
	}
	hash := sha256.New()
	source := &uploadSource{r: io.TeeReader(io.MultiReader(bytes.NewReader(head), part), hash)}
	u.secret, err = sealed.Put(ctx, u.store, u.key, source)
	switch {
	case source.err != nil:
		return unreadable(source.err)
	case err != nil:
		return fmt.Errorf("store document: %w", err)
	}
	u.size, u.sha256 = source.read, hash.Sum(nil)
	return nil
}

// uploadSource counts the bytes and remembers its own errors: they are the client's fault, not the store's.
type uploadSource struct {
	r    io.Reader
	read int64
	err  error
}

func (s *uploadSource) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if s.read += int64(n); s.read > maxUpload {
		err = &http.MaxBytesError{Limit: maxUpload}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// unreadable returns the error for a body that is truncated, too large or malformed. It leaves out err's text, which
// may hold addresses.
func unreadable(err error) error {
	if _, tooLong := errors.AsType[*http.MaxBytesError](err); tooLong {
		return middleware.TooLarge()
	}
	return apierror.Invalid().With("body", "is no whole multipart/form-data")
}
