// Package fault classifies the failures of outside services. Callers of a provider decide by the four kinds what to do
// next: refuse the request, try again, try another provider, or alert the operator.
//
// It knows HTTP statuses and network errors. It must not know any provider, nor what the product does about a fault. A
// call that its own caller canceled is not a fault: providers then return an error that wraps context.Canceled.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind is the class of a failure.
type Kind string

const (
	// Refused: the request is wrong; neither a retry nor another provider helps.
	Refused Kind = "refused"
	// Unavailable: the provider is down, overloaded or closed the connection; it may work later.
	Unavailable Kind = "unavailable"
	// Timeout: the provider did not respond in time.
	Timeout Kind = "timeout"
	// Denied: the provider does not accept our credentials or account; an operator must act.
	Denied Kind = "denied"
)

// Error is the error of a provider. Message is a sentence for an operator; it never holds a credential.
type Error struct {
	Kind       Kind
	Provider   string        // name of the adapter, e.g. "openai"
	Message    string        // the provider's message, or what went wrong
	StatusCode int           // HTTP status; 0: none was received
	RetryAfter time.Duration // the wait that the provider requested; 0: none
	Err        error         // the cause; may be nil
}

// Error returns provider, kind, status, message and cause on one line.
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

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New returns a fault without a status or cause.
func New(kind Kind, provider, message string) *Error {
	return &Error{Kind: kind, Provider: provider, Message: message}
}

// Of returns the kind of the fault that err is or wraps, and reports whether there is one.
func Of(err error) (Kind, bool) {
	if fault, ok := errors.AsType[*Error](err); ok {
		return fault.Kind, true
	}
	return "", false
}

// Elsewhere reports whether another provider may succeed after this error.
func Elsewhere(err error) bool {
	kind, ok := Of(err)
	return ok && kind != Refused
}
