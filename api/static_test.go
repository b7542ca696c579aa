package api

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// A client with the document, compressed or not, gets 304 for it. Other conditions and ranges are ignored.
func TestStaticFilesRevalidate(t *testing.T) {
	t.Parallel()
	pages := pagesOf(nil)
	first := ask(pages, http.MethodGet, "/openapi.json", "Accept-Encoding", "gzip")
	require.Equal(t, "gzip", first.Header().Get("Content-Encoding"))
	require.Equal(t, "Accept-Encoding", first.Header().Get("Vary"))
	etag := first.Header().Get("ETag")
	require.Regexp(t, `^W/"[0-9a-f]{24}"$`, etag)
	require.NotEqual(t, etag, ask(pages, http.MethodGet, "/docs").Header().Get("ETag"))

	for _, encoding := range []string{"", "gzip"} {
		known := ask(pages, http.MethodGet, "/openapi.json", "Accept-Encoding", encoding, "If-None-Match", `"x", `+etag)
		require.Equal(t, http.StatusNotModified, known.Code)
		require.Empty(t, known.Body.String())
		require.Equal(t, etag, known.Header().Get("ETag"))
		require.Equal(t, "no-cache", known.Header().Get("Cache-Control"))
	}
	for _, header := range []string{"If-None-Match", "If-Match", "Range"} {
		require.Equal(t, http.StatusOK, ask(pages, http.MethodGet, "/openapi.json", header, `"x"`).Code, header)
	}
}

func TestStaticFilesTakeHead(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(pagesOf(nil))
	t.Cleanup(server.Close)
	response, err := server.Client().Head(server.URL + "/openapi.json")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.NotEmpty(t, response.Header.Get("ETag"))
}
