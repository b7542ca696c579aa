// Package fault is the vocabulary in which adapters of outside services fail. Whoever
// calls a provider decides by these four words alone what to do next: refuse the
// request, try again, ask another provider, or alert the operator.
//
// It knows HTTP statuses and network errors. It must not know any provider, nor what
// the product does about a fault. A call that its own caller cancelled is no fault:
// adapters then return an error that wraps context.Canceled.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what a failure means for the request that met it.
type Kind string

const (
	// Refused: the request itself is wrong; neither a retry nor another provider helps.
	Refused Kind = "refused"
	// Unavailable: the provider is down, overloaded or broke off; it may work later.
	Unavailable Kind = "unavailable"
	// Timeout: the provider did not answer in time.
	Timeout Kind = "timeout"
	// Denied: the provider does not accept our credentials or account; an operator must act.
	Denied Kind = "denied"
)

// Error is how an adapter fails. Message is a sentence for an operator; it never carries
// a credential.
type Error struct {
	Kind       Kind
	Provider   string        // name of the adapter, e.g. "openai"
	Message    string        // what the provider said, or what went wrong
	StatusCode int           // HTTP status; 0: none was received
	RetryAfter time.Duration // how long the provider asked to wait; 0: it did not say
	Err        error         // the cause, where there is one
}

// Error tells provider, kind, status, message and cause on one line.
func (e *Error) Error() string {
	text := e.Provider + ": " + string(e.Kind)
	if e.StatusCode != 0 {
		text += fmt.Sprintf(" (status %d)", e.StatusCode)
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// New makes a fault without a status or cause.
func New(kind Kind, provider, message string) *Error {
	return &Error{Kind: kind, Provider: provider, Message: message}
}

// Of is the kind of the fault that err is or wraps; false when it is none.
func Of(err error) (Kind, bool) {
	if fault, ok := errors.AsType[*Error](err); ok {
		return fault.Kind, true
	}
	return "", false
}

// Elsewhere reports whether another provider may succeed where this one failed.
func Elsewhere(err error) bool {
	kind, ok := Of(err)
	return ok && kind != Refused
}
