package wire

import (
	"errors"
	"fmt"
)

// ErrNotPermitted means that a request did not leave because its permit refused.
var ErrNotPermitted = errors.New("the request may not leave")

// Permit is asked directly before a request is written, each time again: an error keeps it from leaving. nil permits.
type Permit func() error

// check wraps the refusal.
func (p Permit) check() error {
	if p == nil {
		return nil
	}
	if err := p(); err != nil {
		return fmt.Errorf("%w: %w", ErrNotPermitted, err)
	}
	return nil
}
