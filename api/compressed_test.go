package api

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCompressedNegotiates(t *testing.T) {
	t.Parallel()
	content := compress("text/plain", []byte("spoken and heard"))
	for accepted, zipped := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "x-gzip": true, "br, gzip;q=0.5": true, "deflate,gzip ; q=1.0": true, "*": true,
		"br": false, "identity": false, "gzip;q=0": false, "gzip; q=0.000": false, "*;q=0": false, "gzip;q=0, *": false,
		"*, gzip;q=0": false, "*;q=0, gzip": true, "gzip;q=high": false, "gzipped": false,
	} {
		answer := ask(serving(content), http.MethodGet, "/", "Accept-Encoding", accepted)
		require.Equal(t, "Accept-Encoding", answer.Header().Get("Vary"))
		require.Equal(t, "text/plain", answer.Header().Get("Content-Type"))
		if !zipped {
			require.Empty(t, answer.Header().Get("Content-Encoding"), accepted)
			require.Equal(t, "spoken and heard", answer.Body.String(), accepted)
			continue
		}
		require.Equal(t, "gzip", answer.Header().Get("Content-Encoding"), accepted)
		require.Equal(t, strconv.Itoa(answer.Body.Len()), answer.Header().Get("Content-Length"))
		require.Equal(t, "spoken and heard", string(unzip(t, answer.Body.Bytes())), accepted)
	}
}

func TestCompressedRevalidates(t *testing.T) {
	t.Parallel()
	handler := serving(compress("text/plain", []byte("a")))
	plain := ask(handler, http.MethodGet, "/").Header().Get("ETag")
	zipped := ask(handler, http.MethodGet, "/", "Accept-Encoding", "gzip").Header().Get("ETag")
	other := ask(serving(compress("text/plain", []byte("b"))), http.MethodGet, "/").Header().Get("ETag")
	require.Regexp(t, `^"[0-9a-f]{24}"$`, plain)
	require.Regexp(t, `^"[0-9a-f]{24}-gzip"$`, zipped)
	require.NotEqual(t, plain, other)

	for known, status := range map[string]int{
		plain: http.StatusNotModified, "W/" + plain: http.StatusNotModified, other + ", " + plain: http.StatusNotModified,
		"*": http.StatusNotModified, other: http.StatusOK, zipped: http.StatusOK, `""`: http.StatusOK, "": http.StatusOK,
	} {
		answer := ask(handler, http.MethodGet, "/", "If-None-Match", known)
		require.Equal(t, status, answer.Code, known)
		require.Equal(t, plain, answer.Header().Get("ETag"))
		require.Equal(t, "no-cache", answer.Header().Get("Cache-Control"))
		if status == http.StatusNotModified {
			require.Empty(t, answer.Body.String())
			require.Empty(t, answer.Header().Get("Content-Type"))
		}
	}
	require.Equal(t, http.StatusNotModified, ask(handler, http.MethodGet, "/", "Accept-Encoding", "gzip", "If-None-Match", zipped).Code)
}

func TestCompressedAnswersHead(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(pagesOf(nil))
	t.Cleanup(server.Close)
	answer, err := server.Client().Head(server.URL + "/openapi.json")
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.NotEmpty(t, answer.Header.Get("ETag"))
}

func serving(content *compressed) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { content.serve(w, r, cacheRevalidate) })
}
