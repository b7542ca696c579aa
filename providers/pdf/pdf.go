// Package pdf extracts the text of untrusted PDF files. Such files can make a parser crash, loop or fill the memory, so
// each file is parsed by its own process, which is killed when it takes too long or too much memory.
//
// It knows the format through github.com/ledongthuc/pdf, and how to start that process: the program itself, with a
// command that calls Serve. It must not know where files come from or what happens to their text.
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
	"sync"
	"time"

	"github.com/ledongthuc/pdf"

	"github.com/callwright/callwright/providers/fault"
)

const (
	name = "pdf"

	memoryCheck = 5 * time.Millisecond
	maxPages    = 500
	maxText     = 2 << 20 // bytes; the rest is left out

	statusTooMuch = 4 // exit status of a process that reached MemoryLimit
)

// Reader parses files, each in its own process.
type Reader struct {
	limit   time.Duration
	command []string
}

// TimeLimit is the default time limit for a file.
const TimeLimit = 20 * time.Second

// New returns a reader with a time limit for each file. command is the program and its arguments; it must call Serve.
func New(limit time.Duration, command ...string) *Reader {
	return &Reader{limit: limit, command: command}
}

// Text returns the text of a file, a line for each of its lines, at most 2 MiB of the first 500 pages. Errors are
// *fault.Error unless ctx was canceled: Refused if the file cannot be parsed.
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

// MemoryLimit is the memory limit of a process, in bytes.
const MemoryLimit = 256 << 20

// Serve parses a file from in and writes its text to out. It ends the process by exit if the file takes more than limit
// bytes of memory.
func Serve(in io.Reader, out io.Writer, limit uint64, exit func(status int)) error {
	stop := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { watchMemory(stop, limit, exit) })
	defer watch.Wait()
	defer close(stop)
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

// read returns the text of a file. The library panics on many malformed files.
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
