package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"github.com/callwright/callwright/api/middleware"
)

const (
	docsPath       = "/docs"
	referencePath  = docsPath + "/reference"
	docsAssetsPath = docsPath + "/assets"
	docsAssetsVar  = "{{assets}}" // stands in page.html for the path of the assets
)

// docsPolicy allows the page requests to this server only. Elements sets styles from its script.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var (
	//go:embed docs/guide.html
	guideHTML string
	//go:embed docs/guide.css
	guideStyle []byte
	//go:embed docs/samples
	docsSamples embed.FS
	//go:embed docs/page.html
	docsHTML string
	//go:embed docs/page.js
	docsScript []byte
	//go:embed docs/page.css
	docsStyle []byte
	//go:embed docs/talk.js
	talkScript []byte
	//go:embed docs/logo.svg
	docsLogo []byte
	//go:embed docs/elements/web-components.min.js.gz
	elementsScript []byte
	//go:embed docs/elements/styles.min.css.gz
	elementsStyle []byte
)

// docsPage is the documentation that a browser shows: the guide, the reference and their assets. The path of the assets holds a
// hash of all of them, so that browsers may keep them for ever.
type docsPage struct {
	guide, page *staticFile
	assets      map[string]*staticFile // by path
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
		{"guide.css", style, guideStyle},
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
	guide, err := withSamples(guideHTML)
	if err != nil {
		return nil, err
	}
	page := func(html string) *staticFile {
		return newStaticFile("text/html; charset=utf-8", cacheRevalidate, []byte(strings.ReplaceAll(html, docsAssetsVar, folder)))
	}
	return &docsPage{guide: page(guide), page: page(docsHTML), assets: assets}, nil
}

// withSamples writes the files below docs/samples in the places of their names, such as {{receiver.py}}.
func withSamples(page string) (string, error) {
	err := fs.WalkDir(docsSamples, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		sample, err := docsSamples.ReadFile(path)
		name := strings.TrimPrefix(path, "docs/samples/")
		page = strings.ReplaceAll(page, "{{"+name+"}}", html.EscapeString(strings.TrimSpace(string(sample))))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read samples: %w", err)
	}
	return page, nil
}

func gunzip(zipped []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return io.ReadAll(reader)
}

// serve serves the guide, and the reference at any path below its own: it has a path for each operation.
func (d *docsPage) serve(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimSuffix(r.URL.Path, "/")
	page := d.page
	switch {
	case strings.HasPrefix(r.RequestURI, "/v1/"): // the pages do not know this path
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
		return
	case path == docsPath:
		page = d.guide
	case path != referencePath && !strings.HasPrefix(path, referencePath+"/"):
		http.Redirect(w, r, referencePath+strings.TrimPrefix(path, docsPath), http.StatusFound)
		return
	}
	w.Header().Set("Content-Security-Policy", docsPolicy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	page.serve(w, r)
}

func (d *docsPage) serveAsset(w http.ResponseWriter, r *http.Request) {
	asset, found := d.assets[r.URL.Path]
	if !found {
		middleware.NotFound(w, r)
		return
	}
	asset.serve(w, r)
}
