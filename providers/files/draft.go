package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// Draft is a file in the making, which nobody finds before it is kept. It ends with Keep or Discard, whichever comes
// first; it is one goroutine's at a time.
type Draft interface {
	io.Writer
	io.Seeker
	// Keep is Put of all that was written. When it fails, the draft is gone.
	Keep(ctx context.Context, key string) error
	// Discard gives the draft up.
	Discard() error
}

// Drafter is a Store in whose own place files can be written from the beginning, which spares copying them there.
type Drafter interface {
	Store
	// NewDraft begins a file. A crash leaves nothing of it that is not removed some day.
	NewDraft() (Draft, error)
}

// NewDraft begins a file for store, on the local disk where the store has no place of its own for it.
func NewDraft(store Store) (Draft, error) {
	if drafter, ok := store.(Drafter); ok {
		return drafter.NewDraft()
	}
	file, err := os.CreateTemp("", "callwright-*")
	if err != nil {
		return nil, fmt.Errorf("make scratch file: %w", err)
	}
	// Without a name it is gone with the process, however that ends.
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("hide scratch file: %w", err), file.Close())
	}
	return &scratch{file, store}, nil
}

// scratch is a nameless file that is copied into its store.
type scratch struct {
	*os.File
	store Store
}

// Keep implements Draft.
func (s *scratch) Keep(ctx context.Context, key string) (err error) {
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := s.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read scratch file: %w", err)
	}
	return s.store.Put(ctx, key, s.File)
}

// Discard implements Draft.
func (s *scratch) Discard() error { return s.Close() }
