package dir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/files/dir"
	"github.com/callwright/callwright/providers/files/filestest"
)

func open(t *testing.T, path string) *dir.Store {
	t.Helper()
	store, err := dir.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func TestStore(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "made", "here")
	filestest.Run(t, open(t, folder))
	other := filepath.Join(t.TempDir(), "other")
	require.NoError(t, os.Mkdir(other, 0o755))
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	require.Equal(t, mode(other), mode(filepath.Dir(folder)), "what else is in there is not the store's")
	require.Zero(t, mode(folder)&0o007)
	left, err := os.ReadDir(filepath.Join(folder, ".unfinished"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestLinksLeadNowhereElse(t *testing.T) {
	t.Parallel()
	folder, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("x"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "link")))
	store := open(t, folder)
	_, _, err := store.Open(t.Context(), "link/secret")
	require.Error(t, err)
	require.Error(t, store.Put(t.Context(), "link/new", strings.NewReader("x")))
	require.NoFileExists(t, filepath.Join(outside, "new"))
}

func TestAFileInPlaceOfTheFolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err := dir.Open(path)
	require.ErrorContains(t, err, "file folder")
}

func TestAFolderThatVanished(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "gone")
	store := open(t, folder)
	require.NoError(t, os.RemoveAll(folder))
	err := store.Put(t.Context(), "a", strings.NewReader("x"))
	kind, _ := fault.Of(err)
	require.Equal(t, fault.Unavailable, kind)
}
