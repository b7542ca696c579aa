//go:build unix

package dir_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// An operator runs a command with sudo before the service has ever started, and again while it runs.
func TestWhatRootMakesBelongsToTheService(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away, and this is another user")
	}
	const service = 54321
	state := filepath.Join(t.TempDir(), "callwright")
	require.NoError(t, os.Mkdir(state, 0o750))
	require.NoError(t, os.Chown(state, service, service))

	store := open(t, filepath.Join(state, "deep", "files"))
	require.NoError(t, store.Put(t.Context(), "recordings/2026/call.wav", strings.NewReader("sound")))
	_, err := store.Drafts().New("unfinished")
	require.NoError(t, err)

	var seen []string
	require.NoError(t, filepath.WalkDir(state, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := entry.Info()
		require.NoError(t, err)
		owner, ok := info.Sys().(*syscall.Stat_t)
		require.True(t, ok)
		require.EqualValues(t, service, owner.Uid, path)
		require.EqualValues(t, service, owner.Gid, path)
		seen = append(seen, entry.Name())
		return nil
	}))
	require.Subset(t, seen, []string{"deep", "files", ".unfinished", "unfinished", "recordings", "2026", "call.wav"})
}
