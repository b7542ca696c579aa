package website

import (
	"context"
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"
)

const maxSitemaps = 5 // files, indexes included

// sitemap returns the pages in the site's sitemaps: those of robots.txt, else /sitemap.xml. An invalid sitemap is
// empty.
func (v *visit) sitemap(ctx context.Context) []*url.URL {
	var files, pages []*url.URL
	for _, text := range v.robots.sitemaps {
		if address, err := v.site.Parse(text); err == nil {
			files = append(files, address)
		}
	}
	if len(files) == 0 {
		files = append(files, v.site.ResolveReference(&url.URL{Path: "/sitemap.xml"}))
	}
	for read := 0; read < len(files) && read < maxSitemaps && len(pages) < maxQueue; read++ {
		if !v.sameSite(files[read]) {
			continue
		}
		more, named := v.sitemapFile(ctx, files[read])
		files, pages = append(files, more...), append(pages, named...)
	}
	return pages
}

// sitemapFile reads one file: it returns the sitemaps of an index, or pages.
func (v *visit) sitemapFile(ctx context.Context, address *url.URL) (files, pages []*url.URL) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	resp, err := v.follow(ctx, address)
	if err != nil {
		return nil, nil
	}
	defer resp.Body.Close()
	body := http.MaxBytesReader(nil, resp.Body, maxPage)
	decoder := xml.NewDecoder(body)
	var within string // sitemap or url
	for len(pages) < maxQueue && len(files) < maxSitemaps {
		token, err := decoder.Token()
		if err != nil { // the end, or invalid XML: what was read so far counts
			return files, pages
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if element.Name.Local != "loc" {
			within = element.Name.Local
			continue
		}
		var text string
		if err := decoder.DecodeElement(&text, &element); err != nil {
			return files, pages
		}
		found, err := v.site.Parse(strings.TrimSpace(text))
		switch {
		case err != nil:
		case within == "sitemap":
			files = append(files, found)
		case within == "url" && v.sameSite(found):
			pages = append(pages, found)
		}
	}
	return files, pages
}
