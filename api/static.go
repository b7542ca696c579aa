package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/klauspost/compress/gzhttp"
)

const (
	cacheRevalidate = "no-cache"
	cacheForever    = "public, max-age=31536000, immutable"
)

// staticFile is a response that stays the same while the process runs.
type staticFile struct {
	contentType string
	cache       string // Cache-Control
	etag        string
	body        []byte
}

// newStaticFile returns a file whose ETag is a hash of its body. The ETag is weak, since the compressed response has it
// too (RFC 9110, section 8.8.1).
func newStaticFile(contentType, cache string, body []byte) *staticFile {
	hash := sha256.Sum256(body)
	return &staticFile{contentType: contentType, cache: cache, etag: `W/"` + hex.EncodeToString(hash[:12]) + `"`, body: body}
}

// serve writes the file, or 304 where If-None-Match has its ETag.
func (f *staticFile) serve(w http.ResponseWriter, r *http.Request) {
	for _, ignored := range []string{"Range", "If-Match", "If-Unmodified-Since"} {
		r.Header.Del(ignored) // net/http responds to them with an error of another shape than ours
	}
	header := w.Header()
	header.Set("Cache-Control", f.cache)
	header.Set("Content-Type", f.contentType)
	header.Set("ETag", f.etag)
	header.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.body))
}

// compressResponses returns the middleware that compresses responses if the client accepts it. The level is the
// fastest: no key is needed to have the largest asset compressed, which takes 13 ms, and 55 ms at the default level.
func compressResponses() func(http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.CompressionLevel(gzip.BestSpeed))
	if err != nil {
		panic(err) // the options are constants
	}
	return func(next http.Handler) http.Handler { return wrap(next) }
}
