package sealed_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/dir"
	"github.com/callwright/callwright/providers/files/sealed"
)

func newStore(t *testing.T) *dir.Store {
	t.Helper()
	store, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func raw(t *testing.T, store files.Store, key string) []byte {
	t.Helper()
	file, _, err := store.Open(t.Context(), key)
	require.NoError(t, err)
	content, err := io.ReadAll(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	return content
}

func read(t *testing.T, store files.Store, key, secret string) ([]byte, error) {
	t.Helper()
	file, err := sealed.Open(t.Context(), store, key, secret)
	require.NoError(t, err)
	content, err := io.ReadAll(file)
	require.NoError(t, file.Close())
	return content, err
}

func TestSealed(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	for _, size := range []int{1, 65535, 65536, 65537, 500_000} {
		content := strings.Repeat("passport.", size/9+1)[:size]
		secret, err := sealed.Put(t.Context(), store, "a", strings.NewReader(content))
		require.NoError(t, err)
		require.NotContains(t, string(raw(t, store, "a")), "passport")
		opened, err := read(t, store, "a", secret)
		require.NoError(t, err)
		require.Equal(t, content, string(opened))
	}
}

func TestForgeriesDoNotOpen(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	secret, err := sealed.Put(t.Context(), store, "a", strings.NewReader(strings.Repeat("x", 200_000)))
	require.NoError(t, err)
	other, err := sealed.Put(t.Context(), store, "b", strings.NewReader("y"))
	require.NoError(t, err)
	whole := raw(t, store, "a")
	changed, second := bytes.Clone(whole), len(whole)/3
	changed[second] ^= 1
	for name, forged := range map[string][]byte{
		"changed": changed, "cut off": whole[:len(whole)-1], "cut between packages": whole[:65536+32], "extended": append(bytes.Clone(whole), 0),
		"another's": raw(t, store, "b"),
	} {
		require.NoError(t, store.Put(t.Context(), "forged", bytes.NewReader(forged)))
		_, err := read(t, store, "forged", secret)
		require.Error(t, err, name)
	}
	_, err = read(t, store, "a", other)
	require.Error(t, err)
	for _, none := range []string{"", "!", "AAAA"} {
		_, err := sealed.Open(t.Context(), store, "a", none)
		require.Error(t, err)
	}
	_, err = sealed.Open(t.Context(), store, "none", secret)
	require.ErrorIs(t, err, files.ErrNotFound)
}

func TestBrokenSource(t *testing.T) {
	t.Parallel()
	store := newStore(t)
	broken := errors.New("the source broke")
	_, err := sealed.Put(t.Context(), store, "a", io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	_, _, err = store.Open(t.Context(), "a")
	require.ErrorIs(t, err, files.ErrNotFound)
}
