// Package dir stores files in a folder of the local disk.
//
// It knows paths, renames and what survives a crash. It must not know what is stored, nor how keys are made.
package dir

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"time"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/files"
)

const (
	name       = "dir"
	folderMode = 0o750
	fileMode   = 0o640
	unfinished = ".unfinished" // no key starts with a dot
	abandoned  = 24 * time.Hour
)

// Store stores files below one folder. Symbolic links cannot lead outside of it. Several programs may use the same
// folder.
type Store struct {
	root *os.Root
}

var _ files.Drafter = (*Store)(nil)

// Open opens the store in the folder at path, which it creates if necessary. It removes unfinished files older than a
// day, which a crash left.
func Open(path string) (*Store, error) {
	if err := os.MkdirAll(path, folderMode); err != nil {
		return nil, fmt.Errorf("make file folder: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open file folder: %w", err)
	}
	s := &Store{root: root}
	if err := s.prepare(time.Now()); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare file folder: %w", err), root.Close())
	}
	return s, nil
}

// Close closes the store; open files stay open.
func (s *Store) Close() error { return s.root.Close() }

func (s *Store) prepare(now time.Time) error {
	if err := s.root.MkdirAll(unfinished, folderMode); err != nil {
		return err
	}
	entries, err := fs.ReadDir(s.root.FS(), unfinished)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && now.Sub(info.ModTime()) > abandoned {
			err = s.root.Remove(path.Join(unfinished, entry.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // another program may have removed it
			return err
		}
	}
	return nil
}

// Put writes a temporary file, then renames it.
func (s *Store) Put(ctx context.Context, key string, r io.Reader) error {
	if err := checkKey(key); err != nil {
		return err
	}
	draft, err := s.begin()
	if err != nil {
		return err
	}
	source := files.NewSource(ctx, r)
	switch _, err := io.Copy(draft.File, source); {
	case source.Err() != nil:
		return errors.Join(fmt.Errorf("read file to store: %w", source.Err()), draft.Discard())
	case err != nil:
		return errors.Join(failed("write file", err), draft.Discard())
	}
	return draft.Keep(ctx, key)
}

// NewDraft implements files.Drafter.
func (s *Store) NewDraft() (files.Draft, error) { return s.begin() }

func (s *Store) begin() (*draft, error) {
	part := path.Join(unfinished, rand.Text())
	file, err := s.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return nil, failed("create file", err)
	}
	return &draft{File: file, store: s, part: part}, nil
}

// draft is a temporary file.
type draft struct {
	*os.File
	store *Store
	part  string // its name
}

// Keep syncs the file to the disk and renames it.
func (d *draft) Keep(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return errors.Join(err, d.Discard())
	}
	if err := ctx.Err(); err != nil {
		return errors.Join(fmt.Errorf("keep file: %w", err), d.Discard())
	}
	if err := d.Sync(); err != nil {
		return errors.Join(failed("sync file", err), d.Discard())
	}
	if err := d.Close(); err != nil {
		return errors.Join(failed("close file", err), d.remove())
	}
	if err := d.store.publish(d.part, key); err != nil {
		return errors.Join(err, d.remove())
	}
	return nil
}

// Discard implements files.Draft.
func (d *draft) Discard() error { return errors.Join(d.Close(), d.remove()) }

// remove removes the file unless it was renamed.
func (d *draft) remove() error {
	if err := d.store.root.Remove(d.part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed("remove file", err)
	}
	return nil
}

// publish renames a written file to its key, and syncs its folder and those above it to the disk.
func (s *Store) publish(part, key string) error {
	folder := path.Dir(key)
	if err := s.root.MkdirAll(folder, folderMode); err != nil {
		return failed("make folder", err)
	}
	if err := s.root.Rename(part, key); err != nil {
		return failed("rename file", err)
	}
	for ; ; folder = path.Dir(folder) {
		if err := s.syncFolder(folder); err != nil {
			return failed("sync folder", err)
		}
		if folder == "." {
			return nil
		}
	}
}

// syncFolder does nothing on Windows, which flushes no folders: NTFS keeps a journal of names.
func (s *Store) syncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	handle, err := s.root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(handle.Sync(), handle.Close())
}

// Open returns the file as it is now; a later Put does not change what is read.
func (s *Store) Open(ctx context.Context, key string) (io.ReadSeekCloser, int64, error) {
	if err := checkKey(key); err != nil {
		return nil, 0, err
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, fmt.Errorf("open file: %w", err)
	}
	file, err := s.root.Open(key)
	if err != nil {
		return nil, 0, openFailed(key, err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, 0, errors.Join(openFailed(key, err), file.Close())
	}
	return file, info.Size(), nil
}

// Delete removes the file. Folders stay: a concurrent Put may use them.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("delete file: %w", err)
	}
	info, err := s.root.Lstat(key)
	if err == nil && !info.IsDir() {
		err = s.root.Remove(key)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed("delete file", err)
	}
	return nil
}

func checkKey(key string) error {
	if err := files.CheckKey(key); err != nil {
		return &fault.Error{Kind: fault.Refused, Provider: name, Err: err}
	}
	return nil
}

func openFailed(key string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &fault.Error{Kind: fault.Refused, Provider: name, Message: key, Err: files.ErrNotFound}
	}
	return failed("open file", err)
}

func failed(act string, err error) error {
	return &fault.Error{Kind: fault.Unavailable, Provider: name, Message: act, Err: err}
}
