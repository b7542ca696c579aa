package web_test

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/web"
)

func handler(t *testing.T) http.Handler {
	t.Helper()
	handler, err := web.Handler(http.NotFound)
	require.NoError(t, err)
	return handler
}

func get(handler http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodGet, path, http.NoBody)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	return response
}

// Every file is served with its type, under a policy that lets nothing leave the server.
func TestFiles(t *testing.T) {
	t.Parallel()
	handler := handler(t)
	entries, err := os.ReadDir("dist")
	require.NoError(t, err)
	for _, entry := range entries {
		response := get(handler, web.Path+entry.Name())
		require.Equal(t, http.StatusOK, response.Code, entry.Name())
		require.NotEmpty(t, response.Header().Get("Content-Type"), entry.Name())
		require.NotContains(t, response.Header().Get("Content-Security-Policy"), "http", entry.Name())
		require.Equal(t, strings.HasPrefix(entry.Name(), "chunk-"),
			strings.Contains(response.Header().Get("Cache-Control"), "immutable"), entry.Name())
	}
	require.Equal(t, get(handler, web.Path+"index.html").Body.String(), get(handler, web.Path).Body.String())
	require.Equal(t, http.StatusNotFound, get(handler, web.Path+"../web.go").Code)
}

func TestKnownFileIsNotSentAgain(t *testing.T) {
	t.Parallel()
	handler := handler(t)
	first := get(handler, web.Path)
	again := get(handler, web.Path, "If-None-Match", first.Header().Get("ETag"))
	require.Equal(t, http.StatusNotModified, again.Code)
	require.Empty(t, again.Body.String())
}

// What the first screen needs is small: the page, its script with what that imports at once, and its styles.
func TestFirstLoad(t *testing.T) {
	t.Parallel()
	const most = 60_000
	total := 0
	for _, name := range []string{"index.html", "logo.svg", "app.css", "app.js"} {
		total += zipped(t, name)
	}
	script, err := os.ReadFile("dist/app.js")
	require.NoError(t, err)
	entries, err := os.ReadDir("dist")
	require.NoError(t, err)
	for _, entry := range entries {
		if bytes.Contains(script, []byte(`from"./`+entry.Name()+`"`)) || bytes.Contains(script, []byte(`import"./`+entry.Name()+`"`)) {
			total += zipped(t, entry.Name())
		}
	}
	t.Logf("first load: %d bytes", total)
	require.Less(t, total, most)
}

func zipped(t *testing.T, name string) int {
	t.Helper()
	body, err := os.ReadFile("dist/" + name)
	require.NoError(t, err)
	var out bytes.Buffer
	writer, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	require.NoError(t, err)
	_, err = writer.Write(body)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return out.Len()
}

// Each Dutch text is one that the dashboard shows. That each English one has a Dutch one, the compiler sees to.
func TestTextsAreUsed(t *testing.T) {
	t.Parallel()
	catalogue, err := os.ReadFile("src/text/nl.ts")
	require.NoError(t, err)
	texts, _, found := strings.Cut(string(catalogue), "} as const;")
	require.True(t, found)
	var sources strings.Builder
	err = fs.WalkDir(os.DirFS("src"), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path == "text/nl.ts" {
			return err
		}
		source, err := os.ReadFile("src/" + path)
		sources.Write(source)
		return err
	})
	require.NoError(t, err)
	for line := range strings.Lines(texts) {
		if text, _, is := strings.Cut(strings.TrimSpace(line), `": "`); is {
			require.Contains(t, sources.String(), text+`"`, "nobody shows it")
		}
	}
}
