package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/callwright/callwright/api/middleware"
)

const (
	docsPath       = "/docs"
	docsAssetsPath = docsPath + "/assets"
	docsAssetsVar  = "{{assets}}" // stands in page.html for the path of the assets
)

// docsPolicy allows the page requests to this server only. Elements sets styles from its script.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var (
	//go:embed docs/page.html
	docsHTML string
	//go:embed docs/page.js
	docsScript []byte
	//go:embed docs/page.css
	docsStyle []byte
	//go:embed docs/logo.svg
	docsLogo []byte
	//go:embed docs/elements/web-components.min.js.gz
	elementsScript []byte
	//go:embed docs/elements/styles.min.css.gz
	elementsStyle []byte
)

// docsPage is the documentation that a browser shows: a page and its assets. The path of the assets holds a hash of all
// of them, so that browsers may keep them for ever.
type docsPage struct {
	page   *staticFile
	assets map[string]*staticFile // by path
}

func newDocsPage() (*docsPage, error) {
	const script, style, image = "text/javascript; charset=utf-8", "text/css; charset=utf-8", "image/svg+xml"
	elements, err := gunzip(elementsScript)
	if err != nil {
		return nil, err
	}
	elementsCSS, err := gunzip(elementsStyle)
	if err != nil {
		return nil, err
	}
	files := []struct {
		name, contentType string
		body              []byte
	}{
		{"page.js", script, docsScript},
		{"page.css", style, docsStyle},
		{"logo.svg", image, docsLogo},
		{"web-components.min.js", script, elements},
		{"styles.min.css", style, elementsCSS},
	}
	all := sha256.New()
	for _, file := range files {
		all.Write(file.body)
	}
	folder := docsAssetsPath + "/" + hex.EncodeToString(all.Sum(nil)[:8])
	assets := make(map[string]*staticFile, len(files))
	for _, file := range files {
		assets[folder+"/"+file.name] = newStaticFile(file.contentType, cacheForever, file.body)
	}
	html := strings.ReplaceAll(docsHTML, docsAssetsVar, folder)
	return &docsPage{page: newStaticFile("text/html; charset=utf-8", cacheRevalidate, []byte(html)), assets: assets}, nil
}

func gunzip(zipped []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return io.ReadAll(reader)
}

// serve serves the page at any path below its own: the page has a path for each operation.
func (d *docsPage) serve(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.RequestURI, "/v1/") { // the page does not know this path
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
		return
	}
	w.Header().Set("Content-Security-Policy", docsPolicy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	d.page.serve(w, r)
}

func (d *docsPage) serveAsset(w http.ResponseWriter, r *http.Request) {
	asset, found := d.assets[r.URL.Path]
	if !found {
		middleware.NotFound(w, r)
		return
	}
	asset.serve(w, r)
}
