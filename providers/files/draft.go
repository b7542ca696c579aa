package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// Draft is a file that is being written. It cannot be found before Keep. It ends with the first Keep or Discard, and
// must not be used concurrently.
type Draft interface {
	io.Writer
	io.Seeker
	// Keep is Put of everything that was written. If it fails, the draft is discarded.
	Keep(ctx context.Context, key string) error
	// Discard removes the draft.
	Discard() error
}

// Drafter is a Store that writes drafts directly to its storage, which spares a copy.
type Drafter interface {
	Store
	// NewDraft returns an empty draft. What a crash leaves of it is removed later.
	NewDraft() (Draft, error)
}

// NewDraft returns an empty draft for store, on the local disk if the store is no Drafter.
func NewDraft(store Store) (Draft, error) {
	if drafter, ok := store.(Drafter); ok {
		return drafter.NewDraft()
	}
	file, err := os.CreateTemp("", "callwright-*")
	if err != nil {
		return nil, fmt.Errorf("make scratch file: %w", err)
	}
	// A file without a name disappears with the process, however that ends.
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
