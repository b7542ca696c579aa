// Package web is the dashboard: pages for people, which are a client of the public API with a session's cookie and have no rules
// of their own. It serves the files that web/build makes of the sources in web/src; it knows nothing else of this program.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// Path is where the dashboard is served.
const Path = "/app/"

//go:embed dist
var dist embed.FS

// policy has browsers ask this server alone. The waveform of a recording sets styles from its script.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' blob:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const (
	cacheRevalidate = "no-cache"
	cacheForever    = "public, max-age=31536000, immutable"
)

var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
}

type file struct {
	contentType, cache, etag string
	body                     []byte
}

// Handler returns what serves the dashboard below Path, and notFound whatever it does not have.
func Handler(notFound http.HandlerFunc) (http.Handler, error) {
	entries, err := fs.ReadDir(dist, "dist")
	if err != nil {
		return nil, err
	}
	files := make(map[string]*file, len(entries)+1)
	for _, entry := range entries {
		body, err := dist.ReadFile("dist/" + entry.Name())
		if err != nil {
			return nil, err
		}
		files[entry.Name()] = newFile(entry.Name(), body)
	}
	files[""] = files["index.html"]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, ok := files[strings.TrimPrefix(r.URL.Path, Path)]
		if !ok {
			notFound(w, r)
			return
		}
		found.serve(w, r)
	}), nil
}

// newFile may be kept for ever where its name has a hash of its content. The ETag is weak, since the compressed response has it
// too (RFC 9110, section 8.8.1).
func newFile(name string, body []byte) *file {
	cache := cacheRevalidate
	if strings.HasPrefix(name, "chunk-") {
		cache = cacheForever
	}
	hash := sha256.Sum256(body)
	return &file{contentType: contentTypes[path.Ext(name)], cache: cache, etag: `W/"` + hex.EncodeToString(hash[:12]) + `"`,
		body: body}
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	for _, ignored := range []string{"Range", "If-Match", "If-Unmodified-Since"} {
		r.Header.Del(ignored) // the whole file is small
	}
	header := w.Header()
	header.Set("Cache-Control", f.cache)
	header.Set("Content-Security-Policy", policy)
	header.Set("Content-Type", f.contentType)
	header.Set("ETag", f.etag)
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(self)")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.body))
}
