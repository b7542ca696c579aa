// Package pdf extracts the text of untrusted PDF files, each in a process of its own.
//
// It knows the format through github.com/ledongthuc/pdf. It must not know where files come from or what happens to
// their text.
package pdf

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/ledongthuc/pdf"
)

const (
	maxPages = 500
	maxText  = 2 << 20 // bytes; the rest is left out
)

// Process reads a file as Read does, in a process of its own. It is implemented by providers/reading.
type Process interface {
	Read(ctx context.Context, file []byte) ([]byte, error)
}

// Reader reads files. It is safe for concurrent use.
type Reader struct{ process Process }

// New returns a Reader.
func New(process Process) *Reader { return &Reader{process} }

// Text returns the text of a file, a line for each of its lines, at most 2 MiB of the first 500 pages. Errors are
// *fault.Error unless ctx was canceled: Refused if the file cannot be parsed.
func (r *Reader) Text(ctx context.Context, file []byte) (string, error) {
	text, err := r.process.Read(ctx, file)
	return string(text), err
}

// Read returns the text of a file. The library panics on many malformed files.
func Read(file []byte) ([]byte, error) {
	reader, err := pdf.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, fmt.Errorf("read pdf: %w", err)
	}
	var pages []string
	size := 0
	for number := 1; number <= min(reader.NumPage(), maxPages) && size < maxText; number++ {
		page := reader.Page(number)
		if page.V.IsNull() {
			continue
		}
		pages = append(pages, pageText(page.Content().Text))
		size += len(pages[len(pages)-1])
	}
	text := strings.Join(pages, "\n")
	return []byte(strings.ToValidUTF8(text[:min(len(text), maxText)], "")), nil
}

// pageText joins the glyphs of a page: with a line break if they move up or down by half their height, with a space if
// there is a gap between them.
func pageText(glyphs []pdf.Text) string {
	var text strings.Builder
	var last pdf.Text
	for i, glyph := range glyphs {
		size := math.Max(math.Abs(glyph.FontSize), 1)
		gap := glyph.X - last.X - last.W
		known := last.W > 0 // standard fonts may leave out the widths of their glyphs
		switch {
		case i == 0:
		case math.Abs(glyph.Y-last.Y) > size/2:
			text.WriteByte('\n')
		case known && gap > 0.2*size, !known && gap > 1.2*size, gap < -2*size:
			text.WriteByte(' ')
		}
		text.WriteString(glyph.S)
		last = glyph
	}
	return text.String()
}
