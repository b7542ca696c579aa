package main

import (
	"fmt"
	"os"
	"time"

	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/providers/pdf"
	"github.com/callwright/callwright/providers/reading"
	"github.com/callwright/callwright/providers/website"
)

// readCommand is the process of its own in which an untrusted file is read: it comes in, what it says goes out.
type readCommand struct {
	Kind string `arg:"" enum:"pdf,page"`
}

// Run implements the command.
func (c readCommand) Run() error {
	read := map[string]func([]byte) ([]byte, error){"pdf": pdf.Read, "page": website.ReadPage}[c.Kind]
	return reading.Serve(os.Stdin, os.Stdout, reading.MemoryLimit, os.Exit, read)
}

// pageTime is how long reading one page may take, of which websites have many.
const pageTime = 5 * time.Second

// newWebsites returns what fetches customers' websites through the guarded client and starts this program for each page of them.
// The PDFs of websites are for who has the time, which requests to the API have not.
func newWebsites(guarded *hook.Client, withPDFs bool) (*website.Reader, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	config := website.Config{HTTP: guarded.HTTP(), UserAgent: guarded.UserAgent(),
		Pages: reading.New("page", pageTime, program, "read", "page")}
	if withPDFs {
		config.PDFs = pdf.New(reading.New("PDF", reading.TimeLimit, program, "read", "pdf"))
	}
	return website.New(config), nil
}
