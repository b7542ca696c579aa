package main

import (
	"fmt"
	"os"

	"github.com/callwright/callwright/providers/pdf"
)

// readPDFCommand is the process of its own in which a worker reads a PDF: the file comes in, its text goes out.
type readPDFCommand struct{}

// Run implements the command.
func (readPDFCommand) Run() error { return pdf.Serve(os.Stdin, os.Stdout, pdf.MemoryLimit, os.Exit) }

// newPDFReader starts this program for each file.
func newPDFReader() (*pdf.Reader, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return pdf.New(pdf.TimeLimit, program, "read-pdf"), nil
}
