package files

import (
	"context"
	"errors"
	"io"
)

// Source is a reader for Put of a Store: it ends with its context and remembers its own error, which is not the store's.
type Source struct {
	ctx context.Context
	r   io.Reader
	err error
}

// NewSource returns a Source that reads r until ctx is done.
func NewSource(ctx context.Context, r io.Reader) *Source { return &Source{ctx: ctx, r: r} }

// Read implements io.Reader.
func (s *Source) Read(p []byte) (int, error) {
	if s.err = s.ctx.Err(); s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// Err returns the error of the last Read, or nil; io.EOF is none.
func (s *Source) Err() error { return s.err }
