package dir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/callwright/callwright/providers/files"
)

// List implements files.Store. It holds the names of one folder at a time, and of those above it.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[files.Info, error] {
	return func(yield func(files.Info, error) bool) {
		s.listFolder(ctx, ".", prefix, yield)
	}
}

// listFolder reports whether to go on.
func (s *Store) listFolder(ctx context.Context, folder, prefix string, yield func(files.Info, error) bool) bool {
	entries, err := fs.ReadDir(s.root.FS(), folder)
	if err != nil {
		yield(files.Info{}, failed("list files", err))
		return false
	}
	// The files of a folder stand where the name of the folder with a slash behind it would.
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(sortedName(a), sortedName(b)) })
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			yield(files.Info{}, fmt.Errorf("list files: %w", err))
			return false
		}
		key := path.Join(folder, entry.Name())
		switch {
		case files.CheckKey(key) != nil: // not ours, or a draft
		case entry.IsDir():
			if within(key+"/", prefix) && !s.listFolder(ctx, key, prefix, yield) {
				return false
			}
		case strings.HasPrefix(key, prefix) && !yieldFile(key, entry, yield):
			return false
		}
	}
	return true
}

// within reports whether keys that begin with folder may begin with prefix.
func within(folder, prefix string) bool {
	return strings.HasPrefix(folder, prefix) || strings.HasPrefix(prefix, folder)
}

func sortedName(entry fs.DirEntry) string {
	if entry.IsDir() {
		return entry.Name() + "/"
	}
	return entry.Name()
}

func yieldFile(key string, entry fs.DirEntry, yield func(files.Info, error) bool) bool {
	info, err := entry.Info()
	switch {
	case errors.Is(err, fs.ErrNotExist): // deleted meanwhile
		return true
	case err != nil:
		yield(files.Info{}, failed("list files", err))
		return false
	case !info.Mode().IsRegular():
		return true
	}
	return yield(files.Info{Key: key, Size: info.Size(), Modified: info.ModTime()}, nil)
}
