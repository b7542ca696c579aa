package website

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/callwright/callwright/providers/fault"
)

// PageReader reads a page as ReadPage does, in a process of its own. It is implemented by providers/reading.
type PageReader interface {
	Read(ctx context.Context, page []byte) ([]byte, error)
}

// sentPage is what ReadPage is given.
type sentPage struct {
	URL         string
	ContentType string
	Body        []byte
}

// foundPage is what ReadPage makes of it.
type foundPage struct {
	Title, Text string
	FAQs        []FAQ
	Links       []string
}

// readPage has a page read by a process of its own.
func (r *Reader) readPage(ctx context.Context, body []byte, contentType string, address *url.URL) (*Page, error) {
	sent, err := json.Marshal(sentPage{address.String(), contentType, body})
	if err != nil {
		return nil, unreadable(err)
	}
	read, err := r.pages.Read(ctx, sent)
	if err != nil {
		return nil, fault.FromNet(name, err)
	}
	var found foundPage
	if err := json.Unmarshal(read, &found); err != nil {
		return nil, unreadable(err)
	}
	page := &Page{URL: address.String(), Title: found.Title, Text: found.Text, FAQs: found.FAQs}
	for _, link := range found.Links {
		if target, err := url.Parse(link); err == nil {
			page.links = append(page.links, target)
		}
	}
	return page, nil
}

// ReadPage reads what a Reader sends to its PageReader. The libraries for it are partly without upkeep, and may panic, loop or
// fill the memory on malformed pages.
func ReadPage(page []byte) ([]byte, error) {
	var sent sentPage
	if err := json.Unmarshal(page, &sent); err != nil {
		return nil, fmt.Errorf("read page: %w", err)
	}
	address, err := url.Parse(sent.URL)
	if err != nil {
		return nil, fmt.Errorf("read page: %w", err)
	}
	found, err := parsePage(sent.Body, sent.ContentType, address)
	if err != nil {
		return nil, fmt.Errorf("read page: %w", err)
	}
	return json.Marshal(found)
}

func parsePage(body []byte, contentType string, address *url.URL) (*foundPage, error) {
	decoded, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(contentType, "text/plain") {
		text, err := io.ReadAll(decoded)
		return &foundPage{Text: lines(string(text))}, err
	}
	document, err := html.Parse(decoded)
	if err != nil {
		return nil, err
	}
	return newPage(document, address), nil
}

func unreadable(err error) error {
	return &fault.Error{Kind: fault.Refused, Provider: name, Message: "the page cannot be read", Err: err}
}
