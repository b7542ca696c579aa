// Package website reads the websites of companies: their pages as plain text, with their questions and answers, and the
// PDFs that they link to. It honours robots.txt, stays on the site, and limits time and bytes whatever the site does.
//
// It knows HTTP, HTML, robots.txt, sitemaps and schema.org. It must not know what the text is for, nor parse pages and PDFs
// in its own process. Addresses come from customers, so its client must be a guarded one.
package website

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/fault"
)

const (
	name = "website"

	maxPages     = 30
	maxPage      = 2 << 20
	maxPDFs      = 20 << 20  // of all PDFs of a site together
	pdfsAtOnce   = 8         // of all sites: each is held in memory
	maxRobots    = 512 << 10 // RFC 9309
	maxRedirects = 5
	maxQueue     = 1000 // pages waiting to be read
	atOnce       = 4

	siteTime    = 20 * time.Second // for a whole site
	requestTime = 8 * time.Second  // for one page
	pdfTime     = 50 * time.Second // for one PDF, of which its reader may take 20
)

// Config is the configuration of a Reader.
type Config struct {
	HTTP      *http.Client // must be guarded and follow no redirects
	UserAgent string       // its first word is the user agent of robots.txt
	Pages     PageReader
	PDFs      PDFReader // nil: PDFs are not read
}

// PDFReader extracts the text of a PDF file. Errors are *fault.Error unless ctx was canceled. It is implemented by
// providers/pdf.
type PDFReader interface {
	Text(ctx context.Context, file []byte) (string, error)
}

// Reader reads websites. It is safe for concurrent use.
type Reader struct {
	http      *http.Client
	userAgent string
	pages     PageReader
	pdfs      PDFReader
	holding   chan struct{} // a PDF each
}

// New returns a reader.
func New(cfg Config) *Reader {
	return &Reader{http: cfg.HTTP, userAgent: cfg.UserAgent, pages: cfg.Pages, pdfs: cfg.PDFs,
		holding: make(chan struct{}, pdfsAtOnce)}
}

// Page is one page, or a PDF.
type Page struct {
	URL   string
	Title string
	Text  string // the content, a line per paragraph
	FAQs  []FAQ

	links []*url.URL
}

// FAQ is a question and its answer on a page.
type FAQ struct{ Question, Answer string }

// Page reads one page of at most 2 MiB, or a PDF of at most 20 MiB. Errors are *fault.Error unless ctx was canceled:
// Refused if a retry would not help.
func (r *Reader) Page(ctx context.Context, address string) (*Page, error) {
	start, err := parse(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, pdfTime)
	defer cancel()
	visit := r.visit(start)
	if err := visit.askRobots(ctx); err != nil {
		return nil, err
	}
	return visit.page(ctx, start, pdfTime)
}

// Site reads a website from its start page on: the pages of its sitemap, then those that pages link to, and PDFs when
// there are no more pages, at most 30 in all, in at most limit or 20 seconds, whichever is less; the PDFs may have 20
// MiB together. Pages that cannot be read are left out. Without the start page it fails, as Page does.
func (r *Reader) Site(ctx context.Context, address string, limit time.Duration) ([]Page, error) {
	start, err := parse(address)
	if err != nil {
		return nil, err
	}
	reading, cancel := context.WithTimeout(ctx, min(limit, siteTime))
	defer cancel()
	visit := r.visit(start)
	if err := visit.askRobots(reading); err != nil {
		return nil, err
	}
	first, err := visit.page(reading, start, requestTime)
	if err != nil {
		return nil, err
	}
	visit.site = first.address() // it may have redirected from example.com to www.example.com
	pages := visit.rest(reading, first)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s: %w", name, ctx.Err())
	}
	return pages, nil
}

// rest reads the other pages, a few concurrently, in the order in which they were found.
func (v *visit) rest(ctx context.Context, first *Page) []Page {
	read := []Page{*first}
	texts := map[string]bool{first.Text: true}
	queue := newQueue(v, first.address())
	queue.add(ctx, v.sitemap(ctx))
	queue.add(ctx, first.links)
	for len(read) < maxPages && ctx.Err() == nil {
		batch := queue.take(min(atOnce, maxPages-len(read)))
		if len(batch) == 0 {
			break
		}
		for _, page := range v.pages(ctx, batch) {
			queue.add(ctx, page.links)
			if !texts[page.Text] { // a page with two addresses
				texts[page.Text] = true
				read = append(read, *page)
			}
		}
	}
	return read
}

// pages reads several pages concurrently and leaves out those that cannot be read.
func (v *visit) pages(ctx context.Context, batch []*url.URL) []*Page {
	found := make([]*Page, len(batch))
	var reading sync.WaitGroup
	for i, address := range batch {
		limit := requestTime
		if isPDF(address) {
			limit = pdfTime
		}
		reading.Go(func() {
			if page, err := v.page(ctx, address, limit); err == nil {
				found[i] = page
			}
		})
	}
	reading.Wait()
	var pages []*Page
	for _, page := range found {
		if page != nil && page.Text != "" {
			pages = append(pages, page)
		}
	}
	return pages
}

// queue has the pages to be read, each once, and the PDFs for when there are no more pages: they take longer, and have
// less of what callers ask.
type queue struct {
	visit *visit
	seen  map[string]bool
	pages []*url.URL
	pdfs  []*url.URL
}

func newQueue(v *visit, read *url.URL) *queue {
	return &queue{visit: v, seen: map[string]bool{canonical(read): true}}
}

// add takes the addresses that are new and may be read, until ctx ends: each is compared with all of robots.txt.
func (q *queue) add(ctx context.Context, addresses []*url.URL) {
	for _, address := range addresses {
		key := canonical(address)
		if len(q.pages)+len(q.pdfs) >= maxQueue || ctx.Err() != nil {
			return
		}
		if q.seen[key] || !q.visit.sameSite(address) {
			continue
		}
		if q.seen[key] = true; !q.visit.allowed(address) {
			continue
		}
		switch {
		case !isPDF(address):
			q.pages = append(q.pages, address)
		case q.visit.reader.pdfs != nil:
			q.pdfs = append(q.pdfs, address)
		}
	}
}

// take returns at most n pages, or one PDF.
func (q *queue) take(n int) []*url.URL {
	from := &q.pages
	if len(q.pages) == 0 {
		from, n = &q.pdfs, 1
	}
	n = min(n, len(*from))
	batch := (*from)[:n]
	*from = (*from)[n:]
	return batch
}

func isPDF(address *url.URL) bool { return strings.EqualFold(path.Ext(address.Path), ".pdf") }

// canonical returns the same text for all addresses of a page.
func canonical(address *url.URL) string {
	return strings.TrimSuffix(strings.TrimPrefix(address.Host, "www.")+address.EscapedPath(), "/") + "?" + address.RawQuery
}

// parse parses an address as a customer types it, with or without https://.
func parse(address string) (*url.URL, error) {
	address = strings.TrimSpace(address)
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Hostname() == "" || parsed.User != nil || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, fault.New(fault.Refused, name, "it is not the address of a website")
	}
	parsed.Fragment, parsed.RawFragment = "", ""
	return parsed, nil
}

func (p *Page) address() *url.URL {
	address, err := url.Parse(p.URL)
	if err != nil { // it was returned by String
		return &url.URL{}
	}
	return address
}
