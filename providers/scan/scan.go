// Package scan defines the virus scanner: it decides whether an uploaded file may be used.
//
// It knows streams of bytes. It must not know what they are, nor what happens to a refused file.
package scan

import (
	"context"
	"io"
)

// Scanner scans files. Implementations are safe for concurrent use.
type Scanner interface {
	// Scan reads r and returns nil if nothing was found. A finding is a fault of kind Refused with its name; if the
	// scanner cannot be reached, it is another fault, and the file must wait.
	Scan(ctx context.Context, r io.Reader) error
}

// None is a Scanner that finds nothing, for deployments without a scanner.
type None struct{}

var _ Scanner = None{}

// Scan implements Scanner.
func (None) Scan(context.Context, io.Reader) error { return nil }
