// Package s3 stores files in a bucket of S3, or of a compatible server.
//
// It knows buckets and the meaning of their errors. It must not know what is stored, nor how keys are made.
package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/files"
)

const (
	name      = "s3"
	smallFile = 1 << 20 // bytes
	partSize  = 8 << 20 // bytes held in memory while a larger file is sent
	attempts  = 3
)

// Config is a bucket, which must exist.
type Config struct {
	Endpoint string // URL of the server, such as https://s3.eu-central-1.amazonaws.com
	Bucket   string
	Region   string // empty: requested from the server
	KeyID    string
	Secret   string
	Drafts   string            // local folder of files that are being written; empty: a temporary one
	HTTP     http.RoundTripper // nil: the library's default
}

// Store stores files in one bucket.
type Store struct {
	core   minio.Core
	bucket string
	drafts *files.Drafts
}

var _ files.Store = (*Store)(nil)

// Open returns a store for a bucket. It makes no request.
func Open(cfg Config) (*Store, error) {
	endpoint, err := url.Parse(cfg.Endpoint)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "https" && endpoint.Scheme != "http" ||
		endpoint.Path != "" && endpoint.Path != "/" {
		return nil, errors.New("the endpoint is not a URL such as https://s3.example.com")
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds: credentials.NewStaticV4(cfg.KeyID, cfg.Secret, ""), Secure: endpoint.Scheme == "https", Region: cfg.Region,
		Transport: cfg.HTTP, MaxRetries: attempts,
	})
	if err != nil {
		return nil, fmt.Errorf("open bucket: %w", err)
	}
	s := &Store{core: minio.Core{Client: client}, bucket: cfg.Bucket}
	if cfg.Drafts == "" {
		cfg.Drafts = filepath.Join(os.TempDir(), "callwright-drafts")
	}
	if s.drafts, err = files.OpenDrafts(cfg.Drafts, s.keep); err != nil {
		return nil, err
	}
	return s, nil
}

// Close closes the folder of drafts.
func (s *Store) Close() error { return s.drafts.Close() }

// Drafts implements files.Store.
func (s *Store) Drafts() *files.Drafts { return s.drafts }

// keep uploads a draft.
func (s *Store) keep(ctx context.Context, file *os.File, _, key string) (err error) {
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read draft: %w", err)
	}
	return s.Put(ctx, key, file)
}

// Put implements files.Store. S3 shows an object once all of it was uploaded. A small file is sent in one request, a
// larger one in parts.
func (s *Store) Put(ctx context.Context, key string, r io.Reader) error {
	if err := checkKey(key); err != nil {
		return err
	}
	source := files.NewSource(ctx, r)
	head := make([]byte, smallFile)
	n, err := io.ReadFull(source, head)
	content, size := io.Reader(bytes.NewReader(head[:n])), int64(n)
	switch {
	case err == nil:
		content, size = io.MultiReader(content, source), -1
	case source.Err() != nil:
		return fmt.Errorf("read file to store: %w", source.Err())
	}
	_, err = s.core.Client.PutObject(ctx, s.bucket, key, content, size, minio.PutObjectOptions{
		ContentType: "application/octet-stream", PartSize: partSize, NumThreads: 1,
		DisableContentSha256: true, // TLS protects the bytes; without TLS each chunk is signed
	})
	if err != nil && source.Err() != nil {
		return fmt.Errorf("read file to store: %w", source.Err())
	}
	return failed("put file", err)
}

// Open implements files.Store.
func (s *Store) Open(ctx context.Context, key string) (io.ReadSeekCloser, int64, error) {
	if err := checkKey(key); err != nil {
		return nil, 0, err
	}
	o := &object{ctx: ctx, store: s, key: key}
	if err := o.open(0); err != nil {
		return nil, 0, err
	}
	return o, o.size, nil
}

// Delete implements files.Store.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	err := failed("delete file", s.core.RemoveObject(ctx, s.bucket, key, minio.RemoveObjectOptions{}))
	if errors.Is(err, files.ErrNotFound) {
		return nil
	}
	return err
}

func checkKey(key string) error {
	if err := files.CheckKey(key); err != nil {
		return &fault.Error{Kind: fault.Refused, Provider: name, Err: err}
	}
	return nil
}

// failed returns the error for a failed request. S3's message may hold the bucket's name, but no credentials.
func failed(act string, err error) error {
	if err == nil {
		return nil
	}
	response := minio.ToErrorResponse(err)
	made := &fault.Error{Provider: name, Message: act, StatusCode: response.StatusCode, Err: err}
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %s: %w", name, act, err)
	case response.Code == minio.NoSuchKey:
		made.Kind, made.Err = fault.Refused, files.ErrNotFound
	case response.Code == minio.NoSuchBucket, response.StatusCode == http.StatusForbidden, response.StatusCode == http.StatusUnauthorized:
		made.Kind = fault.Denied
	case response.StatusCode == 0:
		return fault.FromNet(name, err)
	default:
		made.Kind = fault.Unavailable
	}
	return made
}
