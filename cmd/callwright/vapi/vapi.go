// Package vapi moves a customer's configuration from Vapi to Callwright: assistants with the tools that they use, phone numbers
// as SIP connections, and squads where they are one assistant. It reads what Vapi's lists answer, makes it anew through
// Callwright's public API, and says of every field whether it was kept, changed or dropped, and why.
//
// It knows the documents of Vapi and the requests of the public API. It must not know the database, nor where its settings come
// from.
package vapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/callwright/callwright/db/jsonb"
)

// Export is a customer's configuration at Vapi, as its lists answer it.
type Export struct {
	Assistants   []Document `json:"assistants"`
	Tools        []Document `json:"tools"`
	PhoneNumbers []Document `json:"phoneNumbers"`
	Squads       []Document `json:"squads"`
}

// Document is a resource of Vapi.
type Document jsonb.Object

// UnmarshalJSON implements json.Unmarshaler: numbers keep their digits.
func (d *Document) UnmarshalJSON(text []byte) error { return (*jsonb.Object)(d).UnmarshalJSON(text) }

func (d Document) text(name string) string {
	text, _ := d[name].(string)
	return text
}

// ReadFile reads an export: an object with assistants, tools, phoneNumbers and squads, or a list of assistants alone.
func ReadFile(from io.Reader) (*Export, error) {
	var text json.RawMessage
	if err := json.NewDecoder(from).Decode(&text); err != nil {
		return nil, fmt.Errorf("read export: %w", err)
	}
	export := &Export{}
	if err := json.Unmarshal(text, &export.Assistants); err == nil {
		return export, export.check()
	}
	if err := json.Unmarshal(text, export); err != nil {
		return nil, fmt.Errorf("read export: %w", err)
	}
	return export, export.check()
}

// check fails for what cannot be moved, because nothing would tell it from the next one.
func (e *Export) check() error {
	total := 0
	for kind, documents := range map[string][]Document{"assistant": e.Assistants, "tool": e.Tools, "phone number": e.PhoneNumbers,
		"squad": e.Squads} {
		total += len(documents)
		for i, document := range documents {
			if document.text("id") == "" {
				return fmt.Errorf("%s %d of the export has no id", kind, i+1)
			}
		}
	}
	if total == 0 {
		return errors.New("the export has no assistants, tools, phoneNumbers or squads")
	}
	return nil
}

// pageSize is the most that a list of Vapi answers at once.
const pageSize = 1000

// Fetch reads an export from Vapi's API.
func Fetch(ctx context.Context, from *Client) (*Export, error) {
	export := &Export{}
	for path, into := range map[string]*[]Document{
		"/assistant": &export.Assistants, "/tool": &export.Tools, "/phone-number": &export.PhoneNumbers, "/squad": &export.Squads,
	} {
		var err error
		if *into, err = fetchList(ctx, from, path); err != nil {
			return nil, err
		}
	}
	return export, export.check()
}

// fetchList reads a list, newest first, page by page.
func fetchList(ctx context.Context, from *Client, path string) ([]Document, error) {
	var all []Document
	known := map[string]bool{}
	query := url.Values{"limit": {fmt.Sprint(pageSize)}}
	for {
		var page []Document
		if err := from.do(ctx, &request{method: "GET", path: path + "?" + query.Encode()}, &page); err != nil {
			return nil, err
		}
		last := ""
		for _, document := range page {
			if id := document.text("id"); !known[id] {
				known[id], last = true, document.text("createdAt")
				all = append(all, document)
			}
		}
		if len(page) < pageSize || last == "" {
			return all, nil
		}
		query.Set("createdAtLe", last)
	}
}
