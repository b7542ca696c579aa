package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
)

const (
	cacheRevalidate = "no-cache"
	cacheForever    = "public, max-age=31536000, immutable"
)

// compressed is something that is served as it is. It is kept compressed, since nearly everyone takes it so.
type compressed struct {
	contentType string
	tag         string // of the text, without quotes
	gzipped     []byte
}

// newCompressed takes what gzip has written.
func newCompressed(contentType string, gzipped []byte) *compressed {
	hash := sha256.Sum256(gzipped)
	return &compressed{contentType: contentType, tag: hex.EncodeToString(hash[:12]), gzipped: gzipped}
}

func compress(contentType string, text []byte) *compressed {
	var buffer bytes.Buffer
	writer := gzip.NewWriter(&buffer)
	_, _ = writer.Write(text) // a buffer takes all
	_ = writer.Close()
	return newCompressed(contentType, buffer.Bytes())
}

// serve answers the content, or 304 to who has it (RFC 9110, sections 13.1.2 and 8.8.3.3: each encoding has its tag).
func (c *compressed) serve(w http.ResponseWriter, r *http.Request, cache string) {
	zipped := acceptsGzip(r.Header.Values("Accept-Encoding"))
	tag := `"` + c.tag + `"`
	if zipped {
		tag = `"` + c.tag + `-gzip"`
	}
	header := w.Header()
	header.Set("Cache-Control", cache)
	header.Set("ETag", tag)
	header.Set("Vary", "Accept-Encoding")
	if noneMatch(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Type", c.contentType)
	header.Set("X-Content-Type-Options", "nosniff")
	if zipped {
		header.Set("Content-Encoding", "gzip")
		header.Set("Content-Length", strconv.Itoa(len(c.gzipped)))
		_, _ = w.Write(c.gzipped) // the caller is gone if this fails
		return
	}
	c.unzipTo(w)
}

func (c *compressed) unzipTo(w io.Writer) {
	reader, err := gzip.NewReader(bytes.NewReader(c.gzipped))
	if err == nil {
		_, err = io.Copy(w, reader) //nolint:gosec // what is read is our own
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the caller is gone
	}
}

// acceptsGzip reports whether a request may be answered with gzip (RFC 9110, section 12.5.3).
func acceptsGzip(headers []string) bool {
	accepted, named := false, false
	for choice := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		coding, parameters, _ := strings.Cut(choice, ";")
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			accepted, named = wanted(parameters), true
		case "*":
			if !named {
				accepted = wanted(parameters)
			}
		}
	}
	return accepted
}

// wanted reports whether the weight of a choice is above zero, which it is when there is none.
func wanted(parameters string) bool {
	name, weight, found := strings.Cut(parameters, "=")
	if !found || !strings.EqualFold(strings.TrimSpace(name), "q") {
		return true
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
	return err == nil && q > 0
}

// noneMatch reports whether a tag is among those of If-None-Match, which ask for the weak comparison.
func noneMatch(headers []string, tag string) bool {
	for choice := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		choice = strings.TrimSpace(choice)
		if choice == "*" || strings.TrimPrefix(choice, "W/") == tag {
			return true
		}
	}
	return false
}
