package middleware

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
)

// Page is the query of every list. A resource with another default declares its own Limit.
type Page struct {
	Limit int `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"Maximum number of entries."`
	Place
}

// Page10 is Page for the lists whose default is ten.
type Page10 struct {
	Limit int `query:"limit" minimum:"1" maximum:"100" default:"10" doc:"Maximum number of entries."`
	Place
}

// Place is the start of a page.
type Place struct {
	Offset int `query:"offset" minimum:"0" maximum:"1000000000" default:"0" doc:"Entries to skip. Large offsets are slow; a cursor is not."`
	Continuation
}

// Continuation is the cursor of a list.
type Continuation struct {
	Cursor string `query:"cursor" maxLength:"300" doc:"The next_cursor of the page before: continues after it, whatever was added meanwhile. Give it with the filters of that page and without offset."`

	last   Position // entry of the page before
	filter []byte   // first bytes of each cursor of this list with its filters
}

// Position is the position of an entry in the order of its list: its time, its id, its number, or several of these.
type Position struct {
	At     time.Time `json:"at,omitzero"`
	ID     uuid.UUID `json:"id,omitzero"`
	Number int64     `json:"n,omitzero"`
}

// LastTime and lastID come before every entry of a list that is newest first.
var (
	LastTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	LastID   = uuid.Max
)

const filterBytes = 8

// Resolve implements huma.Resolver: it decodes the cursor.
func (c *Continuation) Resolve(ctx huma.Context) []error {
	target := ctx.URL()
	query := target.Query()
	for _, name := range []string{"limit", "offset", "cursor"} {
		query.Del(name)
	}
	hash := sha256.Sum256([]byte(strings.TrimPrefix(target.Path, "/v1") + "?" + query.Encode()))
	c.filter = hash[:filterBytes]
	if c.Cursor == "" {
		return nil
	}
	if target.Query().Has("offset") {
		return []error{&huma.ErrorDetail{Location: "query.cursor", Message: "is given together with offset"}}
	}
	if text, err := base64.RawURLEncoding.DecodeString(c.Cursor); err == nil && len(text) > filterBytes &&
		json.Unmarshal(text[filterBytes:], &c.last) == nil {
		if bytes.Equal(text[:filterBytes], c.filter) {
			return nil
		}
		return []error{&huma.ErrorDetail{Location: "query.cursor", Message: "belongs to a list with other filters"}}
	}
	return []error{&huma.ErrorDetail{Location: "query.cursor", Message: "is not a next_cursor"}}
}

// Before returns the id that precedes the page in a list that is newest first.
func (c *Continuation) Before() uuid.UUID {
	if c.Cursor == "" {
		return LastID
	}
	return c.last.ID
}

// After returns the position of the last entry of the page before; zero on the first page.
func (c *Continuation) After() Position { return c.last }

// cursorAfter returns the cursor of the page that follows an entry.
func (c *Continuation) cursorAfter(last Position) (string, error) {
	text, err := json.Marshal(last)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(append(c.filter[:filterBytes:filterBytes], text...)), nil
}

// Pagination is the position of a page in its list.
type Pagination struct {
	Limit      int     `json:"limit"`
	Offset     int     `json:"offset"`
	Total      int64   `json:"total" doc:"Entries in all."`
	HasMore    bool    `json:"has_more" doc:"Whether entries follow."`
	NextCursor *string `json:"next_cursor" doc:"The cursor of the next page; null at the end."`
}

// List is the response of a list.
type List[T any] struct {
	Body listBody[T]
}

type listBody[T any] struct {
	Data       []T        `json:"data" nullable:"false"`
	Pagination Pagination `json:"pagination"`
}

// QueryLimit returns how many rows to query: one more than the page has, to see whether entries follow.
func QueryLimit(limit int) int32 { return int32(limit) + 1 }

// NewList renders the rows of a page. There is one more than limit if entries follow. where returns the position of a
// row.
func NewList[R, T any](
	limit int,
	place *Place,
	rows []R,
	total int64,
	render func(R) T,
	where func(R) Position,
) (*List[T], error) {
	shown := rows[:min(len(rows), limit)]
	out := &List[T]{Body: listBody[T]{Data: make([]T, 0, len(shown)), Pagination: Pagination{
		Limit: limit, Offset: place.Offset, Total: total, HasMore: len(rows) > len(shown),
	}}}
	for _, row := range shown {
		out.Body.Data = append(out.Body.Data, render(row))
	}
	if out.Body.Pagination.HasMore {
		cursor, err := place.cursorAfter(where(shown[len(shown)-1]))
		if err != nil {
			return nil, err
		}
		out.Body.Pagination.NextCursor = &cursor
	}
	return out, nil
}
