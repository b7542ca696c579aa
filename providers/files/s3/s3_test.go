package s3_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/files/filestest"
	"github.com/callwright/callwright/providers/files/s3"
)

func open(t *testing.T, server *httptest.Server, bucket string) *s3.Store {
	t.Helper()
	store, err := s3.Open(s3.Config{
		Endpoint: server.URL, Bucket: bucket, Region: "eu-central-1", KeyID: "KEY", Secret: "SECRET-do-not-tell",
		HTTP:   server.Client().Transport,
		Drafts: t.TempDir(),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func serve(t *testing.T) *httptest.Server {
	t.Helper()
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("recordings"))
	server := httptest.NewTLSServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return server
}

func TestStore(t *testing.T) {
	t.Parallel()
	filestest.Run(t, open(t, serve(t), "recordings"))
}

func TestListOfSeveralPages(t *testing.T) {
	t.Parallel()
	store := open(t, serve(t), "recordings")
	var put, listed []string
	for i := range 1100 {
		put = append(put, fmt.Sprintf("many/%04d", i))
		require.NoError(t, store.Put(t.Context(), put[i], strings.NewReader("x")))
	}
	for info, err := range store.List(t.Context(), "many/") {
		require.NoError(t, err)
		listed = append(listed, info.Key)
	}
	require.Equal(t, put, listed)
}

func TestReplacedWhileRead(t *testing.T) {
	t.Parallel()
	store := open(t, serve(t), "recordings")
	require.NoError(t, store.Put(t.Context(), "a", strings.NewReader("0123456789")))
	file, _, err := store.Open(t.Context(), "a")
	require.NoError(t, err)
	require.NoError(t, store.Put(t.Context(), "a", strings.NewReader("abcdefghij")))
	_, err = file.Seek(5, 0)
	require.NoError(t, err)
	_, err = file.Read(make([]byte, 5))
	require.Error(t, err, "half of one file and half of another")
	require.NoError(t, file.Close())
}

func TestFaults(t *testing.T) {
	t.Parallel()
	kind := func(server *httptest.Server, bucket string) fault.Kind {
		_, _, err := open(t, server, bucket).Open(t.Context(), "a")
		require.Error(t, err)
		require.NotContains(t, err.Error(), "SECRET")
		kind, _ := fault.Of(err)
		return kind
	}
	answering := func(status int, code string) *httptest.Server {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			w.Write([]byte("<Error><Code>" + code + "</Code></Error>"))
		}))
		t.Cleanup(server.Close)
		return server
	}
	require.Equal(t, fault.Denied, kind(serve(t), "nowhere"))
	require.Equal(t, fault.Denied, kind(answering(403, "AccessDenied"), "recordings"))
	require.Equal(t, fault.Unavailable, kind(answering(500, "InternalError"), "recordings"))
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	require.Equal(t, fault.Unavailable, kind(gone, "recordings"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, open(t, serve(t), "recordings").Delete(ctx, "a"), context.Canceled)
	for _, endpoint := range []string{"", "s3.example.com", "ftp://example.com", "https://example.com/path"} {
		_, err := s3.Open(s3.Config{Endpoint: endpoint, Bucket: "b"})
		require.Error(t, err, endpoint)
	}
}
