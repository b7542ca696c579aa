// Package scan is what the product asks of a virus scanner: whether a file that a stranger uploaded may go on its way.
//
// It knows streams of bytes. It must not know what they are, nor what becomes of a file that is refused.
package scan

import (
	"context"
	"io"
)

// Scanner looks at files. Implementations are safe for concurrent use.
type Scanner interface {
	// Scan reads r and answers nil when nothing was found. What was found is a fault of kind Refused, which names it; a
	// scanner that cannot be asked is another fault, and the file is to wait.
	Scan(ctx context.Context, r io.Reader) error
}

// None finds nothing, because it does not look: for deployments without a scanner.
type None struct{}

var _ Scanner = None{}

// Scan implements Scanner.
func (None) Scan(context.Context, io.Reader) error { return nil }
