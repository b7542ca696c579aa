package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
)

// pagesOf is everything that is served, without a database: no page needs one.
func pagesOf(ready func(context.Context) error) http.Handler {
	return New(&API{Logger: slog.New(slog.DiscardHandler), Now: time.Now, Version: "1.2.3", Ready: ready})
}

func ask(handler http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, http.NoBody)
	for i := 0; i < len(header); i += 2 {
		request.Header.Add(header[i], header[i+1])
	}
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	return response
}

func unzip(t *testing.T, zipped []byte) []byte {
	t.Helper()
	reader, err := gzip.NewReader(bytes.NewReader(zipped))
	require.NoError(t, err)
	text, err := io.ReadAll(reader)
	require.NoError(t, err)
	return text
}

func TestHealthz(t *testing.T) {
	t.Parallel()
	pages := pagesOf(func(context.Context) error { return errors.New("no database") })
	response := ask(pages, http.MethodGet, "/healthz")
	require.Equal(t, http.StatusOK, response.Code)
	require.Equal(t, "application/json", response.Header().Get("Content-Type"))
	require.Equal(t, "no-store", response.Header().Get("Cache-Control"))
	require.JSONEq(t, `{"status":"ok","version":"1.2.3"}`, response.Body.String())
}

func TestReadyz(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ready  func(context.Context) error
		status int
		body   string
	}{
		"no check": {nil, http.StatusOK, `{"status":"ok","version":"1.2.3"}`},
		"ready":    {func(context.Context) error { return nil }, http.StatusOK, `{"status":"ok","version":"1.2.3"}`},
		"not ready": {
			func(context.Context) error { return errors.New("dial tcp 10.1.2.3:5432: refused") }, http.StatusServiceUnavailable,
			`{"error":{"code":"unavailable","message":"This request cannot be served now. Repeat it in a moment.","details":{}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := ask(pagesOf(test.ready), http.MethodGet, "/readyz")
			require.Equal(t, test.status, response.Code)
			require.JSONEq(t, test.body, response.Body.String())
			require.Equal(t, "no-store", response.Header().Get("Cache-Control"))
		})
	}
}

func TestReadyzDoesNotWaitForever(t *testing.T) {
	t.Parallel()
	pages := pagesOf(func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	})
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		require.Equal(t, http.StatusServiceUnavailable, ask(pages, http.MethodGet, "/readyz").Code)
		require.Equal(t, readyTimeout, time.Since(started))
	})
}

func TestOpenAPIDocument(t *testing.T) {
	t.Parallel()
	pages := pagesOf(nil)
	response := ask(pages, http.MethodGet, "/openapi.json")
	require.Equal(t, http.StatusOK, response.Code)
	require.Equal(t, "application/json", response.Header().Get("Content-Type"))
	require.Equal(t, "no-cache", response.Header().Get("Cache-Control"))
	require.Empty(t, response.Header().Get("Content-Encoding"))
	var document struct {
		OpenAPI string                    `json:"openapi"`
		Paths   map[string]map[string]any `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(response.Body.Bytes(), &document))
	require.Equal(t, "3.1.0", document.OpenAPI)
	require.Contains(t, document.Paths["/v1/contacts"], "post")
	for _, page := range []string{"/", "/healthz", "/readyz", "/openapi.json", "/docs"} {
		require.NotContains(t, document.Paths, page)
	}

	inYAML := ask(pages, http.MethodGet, "/openapi.yaml")
	require.Equal(t, "application/yaml", inYAML.Header().Get("Content-Type"))
	written, err := OpenAPIYAML()
	require.NoError(t, err)
	require.Equal(t, string(written), inYAML.Body.String())
}

func TestRedirectsToDocs(t *testing.T) {
	t.Parallel()
	pages := pagesOf(nil)
	for target, location := range map[string]string{
		"/": "/docs", "/v1/docs": "/docs", "/v1/docs/reference": "/docs/reference",
		"/docs/operations/list-calls": "/docs/reference/operations/list-calls",
	} {
		response := ask(pages, http.MethodGet, target)
		require.Equal(t, http.StatusFound, response.Code, target)
		require.Equal(t, location, response.Header().Get("Location"), target)
	}
}

func TestDocsPage(t *testing.T) {
	t.Parallel()
	pages := pagesOf(nil)
	for _, target := range []string{"/docs/reference", "/docs/reference/", "/docs/reference/operations/list-calls"} {
		response := ask(pages, http.MethodGet, target)
		require.Equal(t, http.StatusOK, response.Code, target)
		require.Equal(t, "text/html; charset=utf-8", response.Header().Get("Content-Type"))
		require.Equal(t, "no-cache", response.Header().Get("Cache-Control"))
		require.Equal(t, "no-referrer", response.Header().Get("Referrer-Policy"))
		require.Equal(t, "nosniff", response.Header().Get("X-Content-Type-Options"))
		policy := response.Header().Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'; script-src 'self';")
		require.NotRegexp(t, `https?:|\*`, policy)

		page := response.Body.String()
		require.Contains(t, page, "<title>Callwright</title>")
		require.Contains(t, page, `apiDescriptionUrl="/openapi.json"`)
		require.NotRegexp(t, `(?i)(https?:)?//`, page, "the page must name no other host")
		require.NotContains(t, page, docsAssetsVar)
	}
	require.Equal(t, http.StatusMethodNotAllowed, ask(pages, http.MethodPost, "/docs").Code)
}

// The guide comes first: it says all that it promises, and loads nothing from elsewhere.
func TestDocsGuide(t *testing.T) {
	t.Parallel()
	response := ask(pagesOf(nil), http.MethodGet, "/docs")
	require.Equal(t, http.StatusOK, response.Code)
	require.Contains(t, response.Header().Get("Content-Security-Policy"), "default-src 'none'")
	guide := response.Body.String()
	sections := []string{"quickstart", "webhooks", "tools", "scheduling", "numbers", "errors", "limits"}
	for _, section := range sections {
		require.Contains(t, guide, `<section id="`+section+`">`)
		require.Contains(t, guide, `href="#`+section+`"`)
	}
	require.Contains(t, guide, `href="/docs/reference"`)
	for _, sample := range []string{"timingSafeEqual", "hmac.compare_digest", "verifier.Verify"} {
		require.Contains(t, guide, sample, "the samples check signatures")
	}
	require.NotRegexp(t, `\{\{(assets|receiver)`, guide)
	require.NotRegexp(t, `(?:src|href)="(?:https?:)?//`, guide)
	for _, eventType := range callstate.EventTypes() {
		require.Contains(t, guide, "<code>"+eventType+"</code>", "the guide names every type of event")
	}
}

// What the page loads is there, is what it says to be, and may be kept for ever.
func TestDocsAssets(t *testing.T) {
	t.Parallel()
	pages := pagesOf(nil)
	page := ask(pages, http.MethodGet, "/docs").Body.String() + ask(pages, http.MethodGet, "/docs/reference").Body.String()
	types := map[string]string{"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml"}
	found := map[string]bool{}
	for _, match := range regexp.MustCompile(`"(/docs/assets/[0-9a-f]{16}/[^"]+)"`).FindAllStringSubmatch(page, -1) {
		target := match[1]
		found[target] = true
		zipped := ask(pages, http.MethodGet, target, "Accept-Encoding", "gzip, deflate, br")
		require.Equal(t, http.StatusOK, zipped.Code, target)
		require.Equal(t, types[target[strings.LastIndexByte(target, '.')+1:]], zipped.Header().Get("Content-Type"), target)
		require.Equal(t, "public, max-age=31536000, immutable", zipped.Header().Get("Cache-Control"), target)
		plain := ask(pages, http.MethodGet, target)
		require.Empty(t, plain.Header().Get("Content-Encoding"), target)
		if plain.Body.Len() > gzhttp.DefaultMinSize {
			require.Equal(t, "gzip", zipped.Header().Get("Content-Encoding"), target)
			require.True(t, bytes.Equal(unzip(t, zipped.Body.Bytes()), plain.Body.Bytes()), target)
		}
	}
	require.Len(t, found, 6)

	response := ask(pages, http.MethodGet, "/docs/assets/0123456789abcdef/page.js")
	require.Equal(t, http.StatusNotFound, response.Code)
	require.Contains(t, response.Body.String(), `"code":"not_found"`)
}

// Scripts of ours and styles name no host either; Elements' script does, in links and XML namespaces, and the policy of
// the page holds it back.
func TestDocsNameNoHost(t *testing.T) {
	t.Parallel()
	for name, text := range map[string][]byte{
		"page.html": []byte(docsHTML), "guide.css": guideStyle, "page.js": docsScript, "page.css": docsStyle,
		"styles.min.css": unzip(t, elementsStyle),
	} {
		require.False(t, regexp.MustCompile(`(?i)https?://|@import|@font-face`).Match(text), name)
		require.False(t, regexp.MustCompile(`(?i)url\(["']?(?:https?:|//)`).Match(text), name)
	}
}
