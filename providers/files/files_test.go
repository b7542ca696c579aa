package files_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/files"
)

func TestCheckKeyAccepts(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"a", "recordings/0199-af/call.wav", "A_b-c.9/x..y"} {
		require.NoError(t, files.CheckKey(key), key)
	}
}

func FuzzCheckKeyStaysInside(f *testing.F) {
	for _, seed := range []string{"a/b", "../a", "/a", "a/./b", "a//b", "CON", "a\\..\\b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if files.CheckKey(key) == nil {
			require.True(t, filepath.IsLocal(key), key)
			require.Equal(t, key, filepath.Clean(key))
		}
	})
}
