// Package apierror is the one error shape that the API speaks, and the one place where an error from below is turned
// into it. It knows HTTP statuses, Postgres's error codes and the words in which providers fail; it knows no resource.
package apierror

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/callwright/callwright/providers/fault"
)

// Error is an answer of 400 or above. It implements huma.StatusError.
type Error struct {
	status int
	header http.Header
	Body   Body `json:"error"`
}

// Body is what stands under "error".
type Body struct {
	Code    string            `json:"code" doc:"Stable word for programs." example:"invalid_request"`
	Message string            `json:"message" doc:"Sentence for a developer." example:"The request is not valid."`
	Details map[string]string `json:"details" doc:"What is wrong, by field; empty when there is nothing to say."`
}

// New makes an error.
func New(status int, code, message string) *Error {
	return &Error{status: status, Body: Body{Code: code, Message: message, Details: map[string]string{}}}
}

// With adds what is wrong with a field.
func (e *Error) With(field, message string) *Error {
	e.Body.Details[field] = message
	return e
}

// WithHeader adds a header to the answer.
func (e *Error) WithHeader(name, value string) *Error {
	if e.header == nil {
		e.header = http.Header{}
	}
	e.header.Set(name, value)
	return e
}

// Error implements error.
func (e *Error) Error() string { return e.Body.Message }

// GetStatus implements huma.StatusError.
func (e *Error) GetStatus() int { return e.status }

// GetHeaders implements huma.HeadersError.
func (e *Error) GetHeaders() http.Header { return e.header }

// The errors that more than one resource answers.

// Invalid is a request that does not validate; name every wrong field by With.
func Invalid() *Error {
	return New(http.StatusBadRequest, "invalid_request", "The request is not valid.")
}

// NotFound is a resource that is not there, or somebody else's.
func NotFound(what string) *Error {
	return New(http.StatusNotFound, "not_found", upperFirst(what)+" not found.")
}

// Conflict is a request that the present state does not allow.
func Conflict(message string) *Error { return New(http.StatusConflict, "conflict", message) }

// Internal is a failure of ours, of which the caller learns nothing more.
func Internal() *Error {
	return New(http.StatusInternalServerError, "internal_error", "Something went wrong on our side.")
}

// codes are the words of errors that come from the HTTP layers, by status.
var codes = map[int]string{
	http.StatusBadRequest:            "invalid_request",
	http.StatusUnauthorized:          "unauthorized",
	http.StatusForbidden:             "forbidden",
	http.StatusNotFound:              "not_found",
	http.StatusMethodNotAllowed:      "method_not_allowed",
	http.StatusNotAcceptable:         "not_acceptable",
	http.StatusRequestTimeout:        "request_timeout",
	http.StatusConflict:              "conflict",
	http.StatusRequestEntityTooLarge: "payload_too_large",
	http.StatusUnsupportedMediaType:  "unsupported_media_type",
	http.StatusTooManyRequests:       "rate_limited",
}

// FromStatus is an error known by its status alone.
func FromStatus(status int, message string) *Error {
	code, known := codes[status]
	if !known || status >= http.StatusInternalServerError {
		return Internal()
	}
	return New(status, code, message)
}

// FromDB turns Postgres's refusals into answers. A composite foreign key that fails means "not there or not yours",
// which is 404 either way; the field is the constraint's name less its table.
func FromDB(what string, err error) error {
	var pgErr *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, pgx.ErrNoRows):
		return NotFound(what)
	case errors.As(err, &pgErr) && pgErr.Code == pgerrcode.ForeignKeyViolation:
		field := strings.TrimSuffix(strings.TrimPrefix(pgErr.ConstraintName, pgErr.TableName+"_"), "_fkey")
		return NotFound(strings.ReplaceAll(strings.TrimSuffix(field, "_id"), "_", " ")).With(field, "not found")
	}
	return err
}

// Violates reports whether err is the violation of a constraint.
func Violates(err error, constraint string) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.ConstraintName == constraint
}

// FromFault turns the failure of an outside service into an answer.
func FromFault(err error) error {
	kind, known := fault.Of(err)
	switch {
	case errors.Is(err, context.DeadlineExceeded), known && kind == fault.Timeout:
		return New(http.StatusGatewayTimeout, "upstream_timeout", "An outside service did not answer in time.")
	case known && kind == fault.Unavailable:
		return New(http.StatusBadGateway, "upstream_error", "An outside service failed.")
	case known && kind == fault.Refused:
		return New(http.StatusBadRequest, "invalid_request", "An outside service refused the request.")
	}
	return err
}

func upperFirst(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
