package callwright

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strconv"

	"github.com/callwright/callwright/sdk/go/api"
)

// page is a page of a list.
type page[T any] struct {
	Data       []T
	Pagination struct {
		Offset     int
		HasMore    bool    `json:"has_more"`
		NextCursor *string `json:"next_cursor"`
	}
}

// all iterates over a list. fetch asks for the page that the editor makes of the request for the first one.
func all[T any](fetch func(api.RequestEditorFn) (*http.Response, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for edit := first; edit != nil; {
			page, err := fetchPage[T](fetch, edit)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, entry := range page.Data {
				if !yield(entry, nil) {
					return
				}
			}
			edit = page.following()
		}
	}
}

func first(context.Context, *http.Request) error { return nil }

func fetchPage[T any](fetch func(api.RequestEditorFn) (*http.Response, error), edit api.RequestEditorFn) (*page[T], error) {
	resp, err := fetch(edit)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	fetched := &page[T]{}
	if err := json.NewDecoder(resp.Body).Decode(fetched); err != nil {
		return nil, fmt.Errorf("decode page: %w", err)
	}
	return fetched, nil
}

// following returns what makes the request for the page that follows, or nil.
func (p *page[T]) following() api.RequestEditorFn {
	if !p.Pagination.HasMore || len(p.Data) == 0 {
		return nil
	}
	return func(_ context.Context, req *http.Request) error {
		query := req.URL.Query()
		if p.Pagination.NextCursor != nil {
			query.Del("offset")
			query.Set("cursor", *p.Pagination.NextCursor)
		} else {
			query.Set("offset", strconv.Itoa(p.Pagination.Offset+len(p.Data)))
		}
		req.URL.RawQuery = query.Encode()
		return nil
	}
}
