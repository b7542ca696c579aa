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
	"path/filepath"
	"runtime"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/files"
)

const (
	name       = "dir"
	folderMode = 0o750
	fileMode   = 0o640
	unfinished = ".unfinished" // no key starts with a dot
)

// Store stores files below one folder. Symbolic links cannot lead outside of it. Several programs may use the same
// folder.
type Store struct {
	root   *os.Root
	drafts *files.Drafts
}

var _ files.Store = (*Store)(nil)

// Open opens the store in the folder at path, which it creates if necessary.
func Open(path string) (*Store, error) {
	if err := files.MakeFolder(path, folderMode); err != nil {
		return nil, fmt.Errorf("make file folder: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open file folder: %w", err)
	}
	s := &Store{root: root}
	s.drafts, err = files.OpenDrafts(filepath.Join(path, unfinished), s.keep)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("prepare file folder: %w", err), root.Close())
	}
	return s, nil
}

// Close closes the store; open files stay open.
func (s *Store) Close() error { return errors.Join(s.drafts.Close(), s.root.Close()) }

// Drafts implements files.Store.
func (s *Store) Drafts() *files.Drafts { return s.drafts }

// Put writes a draft, then renames it.
func (s *Store) Put(ctx context.Context, key string, r io.Reader) error {
	if err := checkKey(key); err != nil {
		return err
	}
	name := rand.Text()
	draft, err := s.drafts.New(name)
	if err != nil {
		return failed("create file", err)
	}
	source := files.NewSource(ctx, r)
	switch _, err := io.Copy(draft, source); {
	case source.Err() != nil:
		return errors.Join(fmt.Errorf("read file to store: %w", source.Err()), draft.Discard())
	case err != nil:
		return errors.Join(failed("write file", err), draft.Discard())
	}
	if err := draft.Keep(ctx, key); err != nil {
		return errors.Join(err, s.drafts.Remove(name))
	}
	return nil
}

// keep syncs a draft to the disk and renames it.
func (s *Store) keep(_ context.Context, file *os.File, name, key string) error {
	if err := file.Sync(); err != nil {
		return errors.Join(failed("sync file", err), file.Close())
	}
	if err := file.Close(); err != nil {
		return failed("close file", err)
	}
	return s.publish(path.Join(unfinished, name), key)
}

// publish renames a written file to its key, and syncs its folder and those above it to the disk.
func (s *Store) publish(part, key string) error {
	folder := path.Dir(key)
	if err := files.MakeFoldersIn(s.root, folder, folderMode); err != nil {
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
