package s3

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/minio/minio-go/v7"
)

var errReplaced = errors.New("the file was replaced while it was read")

// object is an open file. A sequential read returns the file as it was opened; a seek makes a new request, which fails
// if the file was replaced.
type object struct {
	ctx    context.Context
	store  *Store
	key    string
	body   io.ReadCloser // nil: closed, or ended by Seek
	etag   string
	size   int64
	offset int64
}

// open requests the file from offset on.
func (o *object) open(offset int64) error {
	var options minio.GetObjectOptions
	if o.etag != "" {
		if err := options.SetMatchETag(o.etag); err != nil {
			return fmt.Errorf("match version: %w", err)
		}
		if err := options.SetRange(offset, 0); err != nil && offset > 0 {
			return fmt.Errorf("set range: %w", err)
		}
	}
	body, info, _, err := o.store.core.GetObject(o.ctx, o.store.bucket, o.key, options)
	if err != nil {
		return failed("open file", err)
	}
	switch {
	case o.etag == "":
		o.etag, o.size = info.ETag, info.Size
	case o.etag != info.ETag: // not every server supports If-Match
		return errors.Join(failed("open file", errReplaced), body.Close())
	}
	o.body, o.offset = body, offset
	return nil
}

// Read implements io.Reader.
func (o *object) Read(p []byte) (int, error) {
	if o.offset >= o.size {
		return 0, io.EOF
	}
	if o.body == nil {
		if err := o.open(o.offset); err != nil {
			return 0, err
		}
	}
	n, err := o.body.Read(p)
	o.offset += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		return n, failed("read file", err)
	}
	if errors.Is(err, io.EOF) && o.offset < o.size {
		return n, failed("read file", io.ErrUnexpectedEOF)
	}
	return n, err
}

// Seek implements io.Seeker.
func (o *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.offset
	case io.SeekEnd:
		offset += o.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the start of a file")
	}
	if offset == o.offset {
		return offset, nil
	}
	if err := o.Close(); err != nil {
		return 0, err
	}
	o.offset = offset
	return offset, nil
}

// Close implements io.Closer.
func (o *object) Close() error {
	if o.body == nil {
		return nil
	}
	body := o.body
	o.body = nil
	if err := body.Close(); err != nil {
		return fmt.Errorf("close file: %w", err)
	}
	return nil
}
