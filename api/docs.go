package api

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
	"strings"
)

const (
	docsPath       = "/docs"
	docsAssetsPath = docsPath + "/assets"
	docsAssetsHole = "{{assets}}" // stands in page.html for the path of the assets
)

// docsPolicy lets the page ask this server alone. Elements sets styles from its script.
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

// docsPage is the documentation that a browser shows: a page and its assets, whose path holds a hash of them all, so
// that browsers may keep them for ever.
type docsPage struct {
	page   *compressed
	assets map[string]*compressed // by path
}

func newDocsPage() *docsPage {
	const script, style, image = "text/javascript; charset=utf-8", "text/css; charset=utf-8", "image/svg+xml"
	files := []struct {
		name    string
		content *compressed
	}{
		{"page.js", compress(script, docsScript)},
		{"page.css", compress(style, docsStyle)},
		{"logo.svg", compress(image, docsLogo)},
		{"web-components.min.js", newCompressed(script, elementsScript)},
		{"styles.min.css", newCompressed(style, elementsStyle)},
	}
	all := sha256.New()
	for _, file := range files {
		all.Write(file.content.gzipped)
	}
	folder := docsAssetsPath + "/" + hex.EncodeToString(all.Sum(nil)[:8])
	assets := make(map[string]*compressed, len(files))
	for _, file := range files {
		assets[folder+"/"+file.name] = file.content
	}
	html := strings.ReplaceAll(docsHTML, docsAssetsHole, folder)
	return &docsPage{page: compress("text/html; charset=utf-8", []byte(html)), assets: assets}
}

// serve answers the page, at whatever path below its own: the page has a path for each operation.
func (d *docsPage) serve(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.RequestURI, "/v1/") { // where the page would not know its own path
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
		return
	}
	w.Header().Set("Content-Security-Policy", docsPolicy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	d.page.serve(w, r, cacheRevalidate)
}

func (d *docsPage) serveAsset(w http.ResponseWriter, r *http.Request) {
	asset, found := d.assets[r.URL.Path]
	if !found {
		notFound(w, r)
		return
	}
	asset.serve(w, r, cacheForever)
}
