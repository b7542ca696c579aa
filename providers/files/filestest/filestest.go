// Package filestest has the conformance suite of files.Store.
//
// It knows the contract of package files. It must not know any implementation.
package filestest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/files"
)

// Run checks a store that has no file with the keys used here.
func Run(t *testing.T, store files.Store) {
	t.Helper()
	t.Run("keeps", func(t *testing.T) { keeps(t, store) })
	t.Run("seeks", func(t *testing.T) { seeks(t, store) })
	t.Run("replaces as a whole", func(t *testing.T) { replaces(t, store) })
	t.Run("a failed put changes nothing", func(t *testing.T) { failedPut(t, store) })
	t.Run("deletes", func(t *testing.T) { deletes(t, store) })
	t.Run("keys lead nowhere else", func(t *testing.T) { badKeys(t, store) })
	t.Run("ends with its context", func(t *testing.T) { cancelled(t, store) })
	t.Run("two writers", func(t *testing.T) { twoWriters(t, store) })
	t.Run("keeps drafts", func(t *testing.T) { keepsDrafts(t, store) })
	t.Run("drafts that are not kept", func(t *testing.T) { lostDrafts(t, store) })
	t.Run("drafts that a crash left", func(t *testing.T) { leftDrafts(t, store) })
	t.Run("lists", func(t *testing.T) { lists(t, store) })
}

func draft(t *testing.T, store files.Store, content string) files.Draft {
	t.Helper()
	begun, err := store.Drafts().New(rand.Text())
	require.NoError(t, err)
	_, err = io.WriteString(begun, content)
	require.NoError(t, err)
	return begun
}

func keepsDrafts(t *testing.T, store files.Store) {
	t.Helper()
	put(t, store, "drafts/a/one", "old, and longer than the new one")
	begun := draft(t, store, "size? and content")
	_, err := io.WriteString(begun, ", and more")
	require.NoError(t, err)
	require.Equal(t, "old, and longer than the new one", get(t, store, "drafts/a/one"), "a draft is not visible")
	require.NoError(t, begun.Keep(t.Context(), "drafts/a/one"))
	require.Equal(t, "size? and content, and more", get(t, store, "drafts/a/one"))
}

func lostDrafts(t *testing.T, store files.Store) {
	t.Helper()
	put(t, store, "drafts/kept", "old")
	require.NoError(t, draft(t, store, "given up").Discard())
	require.Empty(t, drafts(t, store))
	require.ErrorIs(t, draft(t, store, "nowhere").Keep(t.Context(), "../up"), files.ErrBadKey)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, draft(t, store, "too late").Keep(ended, "drafts/kept"), context.Canceled)
	require.Equal(t, "old", get(t, store, "drafts/kept"))
	left := drafts(t, store)
	require.Len(t, left, 2, "what could not be kept can be kept later")
	for _, draft := range left {
		require.NoError(t, store.Drafts().Remove(draft.Name))
	}
}

func leftDrafts(t *testing.T, store files.Store) {
	t.Helper()
	begun, err := store.Drafts().New("account.call.process")
	require.NoError(t, err)
	_, err = store.Drafts().New("account.call.process")
	require.Error(t, err, "two writers of one draft")
	_, err = io.WriteString(begun, "written")
	require.NoError(t, err)
	require.NoError(t, begun.Sync())
	left := drafts(t, store)
	require.Len(t, left, 1)
	require.Equal(t, "account.call.process", left[0].Name)
	require.EqualValues(t, len("written"), left[0].Size)
	file, err := store.Drafts().Open(left[0].Name)
	require.NoError(t, err)
	content, err := io.ReadAll(file)
	require.NoError(t, errors.Join(err, file.Close()))
	require.Equal(t, "written", string(content))

	for range 2 {
		require.NoError(t, store.Drafts().Remove(left[0].Name), "also when it is gone already")
	}
	_, err = store.Drafts().Open(left[0].Name)
	require.ErrorIs(t, err, files.ErrNotFound)
	require.NoError(t, begun.Discard())
}

func drafts(t *testing.T, store files.Store) []files.DraftInfo {
	t.Helper()
	all, err := store.Drafts().List()
	require.NoError(t, err)
	return all
}

func lists(t *testing.T, store files.Store) {
	t.Helper()
	keys := []string{"lists-more", "lists/a-b", "lists/a.wav", "lists/a/one", "lists/a/two", "lists/a0"}
	before := time.Now().Add(-time.Minute)
	for _, key := range keys {
		put(t, store, key, "0123456789")
	}
	begun := draft(t, store, "no file yet")
	require.Equal(t, keys[1:], list(t, store, "lists/"), "in the order of their bytes")
	require.Equal(t, keys, list(t, store, "lists"))
	require.Equal(t, []string{"lists/a-b", "lists/a.wav", "lists/a/one", "lists/a/two", "lists/a0"}, list(t, store, "lists/a"))
	require.Empty(t, list(t, store, "lists/b"))
	require.NoError(t, begun.Discard())
	for info, err := range store.List(t.Context(), "lists/") {
		require.NoError(t, err)
		require.EqualValues(t, 10, info.Size)
		require.True(t, info.Modified.After(before) && info.Modified.Before(time.Now().Add(time.Minute)), "%s", info.Modified)
		break
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range store.List(ended, "lists/") {
		require.ErrorIs(t, err, context.Canceled)
	}
}

func list(t *testing.T, store files.Store, prefix string) (keys []string) {
	t.Helper()
	for info, err := range store.List(t.Context(), prefix) {
		require.NoError(t, err)
		keys = append(keys, info.Key)
	}
	return keys
}

func put(t *testing.T, store files.Store, key, content string) {
	t.Helper()
	require.NoError(t, store.Put(t.Context(), key, strings.NewReader(content)))
}

func get(t *testing.T, store files.Store, key string) string {
	t.Helper()
	file, size, err := store.Open(t.Context(), key)
	require.NoError(t, err)
	content, err := io.ReadAll(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.EqualValues(t, len(content), size)
	return string(content)
}

func requireAbsent(t *testing.T, store files.Store, key string) {
	t.Helper()
	_, _, err := store.Open(t.Context(), key)
	require.ErrorIs(t, err, files.ErrNotFound)
	require.Equal(t, fault.Refused, kind(err))
}

func kind(err error) fault.Kind {
	k, _ := fault.Of(err)
	return k
}

func keeps(t *testing.T, store files.Store) {
	t.Helper()
	large := strings.Repeat("0123456789", 300_000)
	for key, content := range map[string]string{
		"keeps-one": "one", "keeps/a/b/c/two.wav": "two", "keeps/empty": "", "keeps/large": large,
	} {
		put(t, store, key, content)
		require.Equal(t, content, get(t, store, key))
	}
	requireAbsent(t, store, "keeps/none")
	requireAbsent(t, store, "keeps/a")
}

func seeks(t *testing.T, store files.Store) {
	t.Helper()
	put(t, store, "seeks", "0123456789")
	file, _, err := store.Open(t.Context(), "seeks")
	require.NoError(t, err)
	_, err = file.Seek(4, io.SeekStart)
	require.NoError(t, err)
	part := make([]byte, 3)
	_, err = io.ReadFull(file, part)
	require.NoError(t, err)
	require.Equal(t, "456", string(part))
	require.NoError(t, file.Close())
}

func replaces(t *testing.T, store files.Store) {
	t.Helper()
	put(t, store, "replaces", "old, and longer")
	file, _, err := store.Open(t.Context(), "replaces")
	require.NoError(t, err)
	put(t, store, "replaces", "new")
	old, err := io.ReadAll(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.Equal(t, "old, and longer", string(old))
	require.Equal(t, "new", get(t, store, "replaces"))
}

func failedPut(t *testing.T, store files.Store) {
	t.Helper()
	broken := errors.New("the source broke")
	put(t, store, "failed/old", "old")
	for _, key := range []string{"failed/old", "failed/new"} {
		source := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))
		require.ErrorIs(t, store.Put(t.Context(), key, source), broken)
	}
	require.Equal(t, "old", get(t, store, "failed/old"))
	requireAbsent(t, store, "failed/new")
}

func deletes(t *testing.T, store files.Store) {
	t.Helper()
	put(t, store, "deletes/one", "one")
	put(t, store, "deletes/two", "two")
	require.NoError(t, store.Delete(t.Context(), "deletes/one"))
	requireAbsent(t, store, "deletes/one")
	require.Equal(t, "two", get(t, store, "deletes/two"))
	require.NoError(t, store.Delete(t.Context(), "deletes/one"))
	require.NoError(t, store.Delete(t.Context(), "deletes"))
	require.Equal(t, "two", get(t, store, "deletes/two"))
}

func badKeys(t *testing.T, store files.Store) {
	t.Helper()
	for _, key := range []string{
		"", "/", "/etc/passwd", "..", "../up", "a/../b", "a/..", "./a", "a//b", "a/", ".hidden", "a/.hidden",
		"a\\b", "a b", "a\x00b", "C:evil", "ünï", "a\n", strings.Repeat("a/", 300) + "a", strings.Repeat("a", 129),
	} {
		_, _, openErr := store.Open(t.Context(), key)
		for _, err := range []error{
			store.Put(t.Context(), key, strings.NewReader("x")), openErr, store.Delete(t.Context(), key),
		} {
			require.ErrorIs(t, err, files.ErrBadKey, "%q", key)
			require.Equal(t, fault.Refused, kind(err), "%q", key)
		}
	}
}

func cancelled(t *testing.T, store files.Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	half := readerFunc(func(p []byte) (int, error) { // never ends by itself
		cancel()
		return copy(p, "half"), nil
	})
	require.ErrorIs(t, store.Put(ctx, "cancelled", half), context.Canceled)
	requireAbsent(t, store, "cancelled")
	_, _, err := store.Open(ctx, "cancelled")
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, store.Delete(ctx, "cancelled"), context.Canceled)
}

func twoWriters(t *testing.T, store files.Store) {
	t.Helper()
	const rounds = 20
	var writers sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		writers.Go(func() {
			content := bytes.Repeat([]byte{byte('a' + i)}, 5000)
			for range rounds {
				if err := store.Put(t.Context(), "two/writers", bytes.NewReader(content)); err != nil {
					errs[i] = fmt.Errorf("writer %d: %w", i, err)
				}
			}
		})
	}
	writers.Wait()
	require.NoError(t, errors.Join(errs...))
	content := get(t, store, "two/writers")
	require.Len(t, content, 5000)
	require.Equal(t, strings.Repeat(content[:1], 5000), content)
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
