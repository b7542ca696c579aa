// Package pdf reads the text of PDF files that strangers send. Such files make readers crash, run for ever or fill the
// memory, so a file is read by a process of its own that is killed when it takes too long or too much.
//
// It knows the format through github.com/ledongthuc/pdf, and how to start that process: the program itself, with a
// command that calls Serve. It must not know where files come from or what becomes of their text.
package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/ledongthuc/pdf"

	"github.com/callwright/callwright/providers/fault"
)

const (
	name = "pdf"

	memoryCheck = 5 * time.Millisecond
	maxPages    = 500
	maxText     = 2 << 20 // bytes; what follows is left out

	statusTooMuch = 4 // of a process that ended because of its memory
)

// Reader reads files, each in a process of its own.
type Reader struct {
	limit   time.Duration
	command []string
}

// TimeLimit is what a process may take for one file.
const TimeLimit = 20 * time.Second

// New makes a reader that takes at most limit for a file. command is the program and its arguments that end in Serve.
func New(limit time.Duration, command ...string) *Reader {
	return &Reader{limit: limit, command: command}
}

// Text is the text of a file, a line per line of it, at most 2 MiB of the first 500 pages. Errors are *fault.Error
// unless ctx was cancelled: Refused when the file cannot be read.
func (r *Reader) Text(ctx context.Context, file []byte) (string, error) {
	limited, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	cmd := exec.CommandContext(limited, r.command[0], r.command[1:]...) // killed when the time is up
	cmd.Stdin = bytes.NewReader(file)
	cmd.Env = []string{"GOMAXPROCS=1", "GOTRACEBACK=none"} // none of our secrets
	var text bytes.Buffer
	cmd.Stdout = &text
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return text.String(), nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s: %w", name, ctx.Err())
	case limited.Err() != nil:
		return "", fault.New(fault.Refused, name, "the PDF takes too long to read")
	case errors.As(err, &exit) && exit.ExitCode() == statusTooMuch:
		return "", fault.New(fault.Refused, name, "the PDF takes too much memory to read")
	case errors.As(err, &exit):
		return "", fault.New(fault.Refused, name, "the PDF is damaged, or needs a password")
	}
	return "", &fault.Error{Kind: fault.Unavailable, Provider: name, Message: "the reader did not start", Err: err}
}

// MemoryLimit is what a process may take for one file, in bytes.
const MemoryLimit = 256 << 20

// Serve reads one file from in and writes its text to out. When the file takes more memory than limit, in bytes, it ends
// the process by exit.
func Serve(in io.Reader, out io.Writer, limit uint64, exit func(status int)) error {
	stop := make(chan struct{})
	defer close(stop)
	go watchMemory(stop, limit, exit)
	file, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read pdf: %w", err)
	}
	text, err := read(file)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(out, text); err != nil {
		return fmt.Errorf("write text of pdf: %w", err)
	}
	return nil
}

func watchMemory(stop <-chan struct{}, limit uint64, exit func(status int)) {
	tick := time.NewTicker(memoryCheck)
	defer tick.Stop()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		if metrics.Read(sample); sample[0].Value.Uint64() > limit {
			exit(statusTooMuch)
			return
		}
	}
}

// read is the text of a file. The library panics on much that is not as it expects.
func read(file []byte) (text string, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("read pdf: %v", cause)
		}
	}()
	reader, err := pdf.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return "", fmt.Errorf("read pdf: %w", err)
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
	text = strings.Join(pages, "\n")
	return strings.ToValidUTF8(text[:min(len(text), maxText)], ""), nil
}

// pageText puts the glyphs of a page together: a new line where they move up or down by half their height, a space where
// there is a gap between them.
func pageText(glyphs []pdf.Text) string {
	var text strings.Builder
	var last pdf.Text
	for i, glyph := range glyphs {
		size := math.Max(math.Abs(glyph.FontSize), 1)
		gap := glyph.X - last.X - last.W
		known := last.W > 0 // fonts of the standard set may leave out how wide their letters are
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
