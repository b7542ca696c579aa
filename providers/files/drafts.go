package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

const (
	draftsMode = 0o750
	draftMode  = 0o640
)

// Draft is a file that is being written. It cannot be found under any key before Keep. It ends with the first Keep or
// Discard. Sync may be called while others write; nothing else may be used concurrently.
type Draft interface {
	io.Writer
	// Sync returns when what was written before survives a crash of the machine.
	Sync() error
	// Keep is Put of everything that was written. If it fails, the draft stays among the Drafts of its store.
	Keep(ctx context.Context, key string) error
	// Discard removes the draft.
	Discard() error
}

// Drafts are the files of a store that are being written, and those that a process left unfinished: files of a local
// folder, each with a name. Several programs may use the same folder.
type Drafts struct {
	root *os.Root
	keep KeepDraft
}

// KeepDraft stores a draft under key and closes file. It may move the file of that name.
type KeepDraft func(ctx context.Context, file *os.File, name, key string) error

// DraftInfo is what is known of a draft from outside.
type DraftInfo struct {
	Name     string
	Size     int64
	Modified time.Time // of the last write
}

// OpenDrafts opens the folder at path, which it creates if necessary.
func OpenDrafts(path string, keep KeepDraft) (*Drafts, error) {
	if err := MakeFolder(path, draftsMode); err != nil {
		return nil, fmt.Errorf("make folder of drafts: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open folder of drafts: %w", err)
	}
	return &Drafts{root: root, keep: keep}, nil
}

// Close closes the folder; drafts that are being written stay open.
func (d *Drafts) Close() error { return d.root.Close() }

// New returns an empty draft. The name must be new.
func (d *Drafts) New(name string) (Draft, error) {
	file, err := d.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, draftMode)
	if err != nil {
		return nil, fmt.Errorf("make draft: %w", err)
	}
	adopt(d.root, name)
	return &draft{File: file, drafts: d, name: name}, nil
}

// List returns the drafts that there are.
func (d *Drafts) List() ([]DraftInfo, error) {
	entries, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("list drafts: %w", err)
	}
	drafts := make([]DraftInfo, 0, len(entries))
	for _, entry := range entries {
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) { // kept or removed meanwhile
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list drafts: %w", err)
		}
		drafts = append(drafts, DraftInfo{Name: entry.Name(), Size: info.Size(), Modified: info.ModTime()})
	}
	return drafts, nil
}

// Open returns what was written to a draft so far.
func (d *Drafts) Open(name string) (*os.File, error) {
	file, err := d.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open draft %s: %w", name, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("open draft: %w", err)
	}
	return file, nil
}

// Remove removes a draft. It is not an error if there is none.
func (d *Drafts) Remove(name string) error {
	if err := d.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove draft: %w", err)
	}
	return nil
}

// draft is a file in a folder of drafts.
type draft struct {
	*os.File
	drafts *Drafts
	name   string
}

// Keep implements Draft.
func (d *draft) Keep(ctx context.Context, key string) error {
	err := CheckKey(key)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("keep draft: %w", err), d.Close())
	}
	if err := d.drafts.keep(ctx, d.File, d.name, key); err != nil {
		return fmt.Errorf("keep draft: %w", err)
	}
	return d.drafts.Remove(d.name)
}

// Discard implements Draft.
func (d *draft) Discard() error { return errors.Join(d.Close(), d.drafts.Remove(d.name)) }
