package website

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/fault"
)

// visit is the reading of one site.
type visit struct {
	reader *Reader
	site   *url.URL // any page of it
	robots *robots

	pdfs    sync.Mutex // held while one is read, since PDFs need much memory
	pdfRoom int64      // bytes that further PDFs may have
}

func (r *Reader) visit(start *url.URL) *visit {
	return &visit{reader: r, site: start, pdfRoom: maxPDFs}
}

// sameSite reports whether an address has the same host, with or without www., and the same port.
func (v *visit) sameSite(address *url.URL) bool {
	bare := func(u *url.URL) string { return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.") }
	port := func(u *url.URL) string {
		if port := u.Port(); port != "80" && port != "443" {
			return port
		}
		return ""
	}
	return (address.Scheme == "http" || address.Scheme == "https") && bare(address) == bare(v.site) && port(address) == port(v.site)
}

// page reads a page, or a PDF, in at most limit.
func (v *visit) page(ctx context.Context, address *url.URL, limit time.Duration) (*Page, error) {
	if !v.allowed(address) {
		return nil, fault.New(fault.Refused, name, "the site's robots.txt does not allow it to be read")
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	resp, err := v.follow(ctx, address)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		kind = ""
	}
	switch {
	case kind == "application/pdf" && v.reader.pdfs != nil:
		return v.pdf(ctx, resp)
	case kind != "text/html" && kind != "application/xhtml+xml" && kind != "text/plain":
		return nil, fault.New(fault.Refused, name, fmt.Sprintf("the address leads to %q, which is no page", kind))
	}
	body, err := readAll(resp, maxPage)
	if err != nil {
		return nil, err
	}
	return v.reader.readPage(ctx, body, resp.Header.Get("Content-Type"), resp.Request.URL)
}

// pdf reads a PDF as long as pdfRoom is left. Its title is the name of its file.
func (v *visit) pdf(ctx context.Context, resp *http.Response) (*Page, error) {
	v.pdfs.Lock()
	defer v.pdfs.Unlock()
	select {
	case v.reader.holding <- struct{}{}:
		defer func() { <-v.reader.holding }()
	case <-ctx.Done():
		return nil, fault.FromNet(name, ctx.Err())
	}
	body, err := readAll(resp, v.pdfRoom)
	v.pdfRoom = max(v.pdfRoom-int64(len(body)), 0)
	if err != nil {
		return nil, err
	}
	text, err := v.reader.pdfs.Text(ctx, body)
	if err != nil {
		return nil, fault.FromNet(name, err)
	}
	address := resp.Request.URL
	file := strings.Trim(strings.TrimSuffix(path.Base(address.Path), path.Ext(address.Path)), "/.")
	return &Page{URL: address.String(), Title: shortTitle(strings.NewReplacer("-", " ", "_", " ").Replace(file)), Text: lines(text)},
		nil
}

// follow requests an address and follows redirects, as long as they stay on the site and robots.txt allows them.
func (v *visit) follow(ctx context.Context, address *url.URL) (*http.Response, error) {
	for range maxRedirects + 1 {
		resp, err := v.get(ctx, address)
		if err != nil {
			return nil, err
		}
		switch resp.StatusCode {
		case http.StatusOK:
			return resp, nil
		case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
			resp.Body.Close()
			if address, err = resp.Location(); err != nil {
				return nil, fault.New(fault.Refused, name, "the site redirects to nowhere")
			}
			if !v.sameSite(address) || !v.allowed(address) {
				return nil, fault.New(fault.Refused, name, "the address leads to another site: "+address.Hostname())
			}
		default:
			resp.Body.Close()
			failed := fault.FromHTTP(name, resp, nil)
			if failed.Kind == fault.Denied { // it is not about a key of ours: the page is not public
				failed.Kind = fault.Refused
			}
			return nil, failed
		}
	}
	return nil, fault.New(fault.Refused, name, "the site redirects in circles")
}

func (v *visit) get(ctx context.Context, address *url.URL) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return nil, fault.New(fault.Refused, name, "it is not the address of a website")
	}
	req.Header.Set("User-Agent", v.reader.userAgent)
	req.Header.Set("Accept", "text/html, application/xhtml+xml, application/pdf;q=0.8, text/plain;q=0.5")
	req.Header.Set("Accept-Encoding", "identity") // the limit applies to the bytes sent
	resp, err := v.reader.http.Do(req)
	if err != nil {
		return nil, fault.FromNet(name, err)
	}
	if err := decompress(resp); err != nil {
		resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// decompress has the body read as the page is, where a server compresses what it was asked not to. Whoever reads it stops at its
// limit.
func decompress(resp *http.Response) error {
	coding := strings.ToLower(resp.Header.Get("Content-Encoding"))
	switch {
	case coding == "", coding == "identity", resp.StatusCode != http.StatusOK:
		return nil
	case coding != "gzip" && coding != "x-gzip":
		return fault.New(fault.Refused, name, fmt.Sprintf("the site compresses its pages with %q, though it is asked not to", coding))
	}
	plain, err := gzip.NewReader(resp.Body)
	if err != nil {
		return fault.New(fault.Refused, name, "the page cannot be decompressed")
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{plain, resp.Body}
	resp.ContentLength = -1
	return nil
}

// readAll reads a body of at most limit bytes. A longer one is an error. What was read is returned with an error, too.
func readAll(resp *http.Response, limit int64) ([]byte, error) {
	tooLarge := fault.New(fault.Refused, name, fmt.Sprintf("the page is larger than %d MiB", limit>>20))
	if resp.ContentLength > limit {
		return nil, tooLarge
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return body, fault.FromNet(name, err)
	case int64(len(body)) > limit:
		return body, tooLarge
	}
	return body, nil
}

// askRobots reads robots.txt (RFC 9309): if there is none, everything is allowed; if the server fails, nothing is.
func (v *visit) askRobots(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	resp, err := v.robotsFile(ctx)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxRobots))
	if err != nil {
		return fault.FromNet(name, err)
	}
	switch {
	case resp.StatusCode >= http.StatusInternalServerError:
		return fault.FromHTTP(name, resp, nil)
	case resp.StatusCode >= http.StatusBadRequest: // there is none
		body = nil
	}
	agent, _, _ := strings.Cut(v.reader.userAgent, "/")
	v.robots = readRobots(body, agent)
	return nil
}

// robotsFile follows the redirects of robots.txt within the site; one that leads elsewhere counts as a missing file.
func (v *visit) robotsFile(ctx context.Context) (*http.Response, error) {
	address := v.site.ResolveReference(&url.URL{Path: "/robots.txt"})
	for range maxRedirects {
		resp, err := v.get(ctx, address)
		if err != nil || resp.StatusCode < 300 || resp.StatusCode > 399 {
			return resp, err
		}
		if address, err = resp.Location(); err != nil || !v.sameSite(address) {
			resp.StatusCode = http.StatusNotFound
			return resp, nil //nolint:nilerr // an invalid address is not on the site
		}
		resp.Body.Close()
	}
	return nil, fault.New(fault.Refused, name, "the site redirects in circles")
}

// allowed reports whether robots.txt allows the address.
func (v *visit) allowed(address *url.URL) bool {
	path := address.EscapedPath()
	if path == "" {
		path = "/"
	}
	if address.RawQuery != "" {
		path += "?" + address.RawQuery
	}
	return v.robots == nil || v.robots.allows(path)
}
