// Package health says what is wrong with a process, in words that an operator can act upon and anybody may read: they hold no
// address, no name and nothing of a customer. It knows no part of the program.
package health

import (
	"errors"
	"strings"
)

// Problem is why a process should be sent no work now.
type Problem struct {
	Words string // a sentence without its full stop, for anybody
	Err   error  // for the log; nil: the words say all
}

// Error implements error.
func (p *Problem) Error() string {
	if p.Err == nil {
		return p.Words
	}
	return p.Words + ": " + p.Err.Error()
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

// Words returns the words of all problems that err wraps or joins; empty: it has none.
func Words(err error) string {
	var all []string
	collect(err, &all)
	return strings.Join(all, "; ")
}

func collect(err error, into *[]string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			collect(one, into)
		}
		return
	}
	if problem, ok := err.(*Problem); ok { //nolint:errorlint // what it wraps is looked at next
		*into = append(*into, problem.Words)
		return
	}
	if wrapped := errors.Unwrap(err); wrapped != nil {
		collect(wrapped, into)
	}
}
