// Package s3 keeps files in a bucket of S3, or of a server that speaks as it does.
//
// It knows buckets and what their errors mean. It must not know what is kept, nor how keys are made up.
package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

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
	Region   string // empty: asked for
	KeyID    string
	Secret   string
	HTTP     http.RoundTripper // nil: the library's own
}

// Store keeps files in one bucket.
type Store struct {
	core   minio.Core
	bucket string
}

var _ files.Store = (*Store)(nil)

// Open prepares the use of a bucket; nothing is asked yet.
func Open(cfg Config) (*Store, error) {
	endpoint, err := url.Parse(cfg.Endpoint)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "https" && endpoint.Scheme != "http" || endpoint.Path != "" && endpoint.Path != "/" {
		return nil, errors.New("the endpoint is not a URL such as https://s3.example.com")
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds: credentials.NewStaticV4(cfg.KeyID, cfg.Secret, ""), Secure: endpoint.Scheme == "https", Region: cfg.Region,
		Transport: cfg.HTTP, MaxRetries: attempts,
	})
	if err != nil {
		return nil, fmt.Errorf("open bucket: %w", err)
	}
	return &Store{core: minio.Core{Client: client}, bucket: cfg.Bucket}, nil
}

// Put implements files.Store. S3 shows an object once all of it has arrived. A small file goes in one request, a larger
// one in parts.
func (s *Store) Put(ctx context.Context, key string, r io.Reader) error {
	if err := checkKey(key); err != nil {
		return err
	}
	source := &reader{ctx: ctx, r: r}
	head := make([]byte, smallFile)
	n, err := io.ReadFull(source, head)
	content, size := io.Reader(bytes.NewReader(head[:n])), int64(n)
	switch {
	case err == nil:
		content, size = io.MultiReader(content, source), -1
	case source.err != nil:
		return fmt.Errorf("read what to keep: %w", source.err)
	}
	_, err = s.core.Client.PutObject(ctx, s.bucket, key, content, size, minio.PutObjectOptions{
		ContentType: "application/octet-stream", PartSize: partSize, NumThreads: 1,
		DisableContentSha256: true, // TLS keeps the bytes whole; without TLS each chunk is signed
	})
	if err != nil && source.err != nil {
		return fmt.Errorf("read what to keep: %w", source.err)
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

// failed says in our words what S3 means. Its own message may hold the bucket's name, but no key.
func failed(act string, err error) error {
	if err == nil {
		return nil
	}
	answer := minio.ToErrorResponse(err)
	made := &fault.Error{Provider: name, Message: act, StatusCode: answer.StatusCode, Err: err}
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %s: %w", name, act, err)
	case answer.Code == minio.NoSuchKey:
		made.Kind, made.Err = fault.Refused, files.ErrNotFound
	case answer.Code == minio.NoSuchBucket, answer.StatusCode == http.StatusForbidden, answer.StatusCode == http.StatusUnauthorized:
		made.Kind = fault.Denied
	case answer.StatusCode == 0:
		return fault.FromNet(name, err)
	default:
		made.Kind = fault.Unavailable
	}
	return made
}

// reader ends with its context, and remembers its own errors: they are not S3's.
type reader struct {
	ctx context.Context
	r   io.Reader
	err error
}

func (r *reader) Read(p []byte) (int, error) {
	if r.err = r.ctx.Err(); r.err != nil {
		return 0, r.err
	}
	n, err := r.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}
