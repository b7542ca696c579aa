// Package apierror is the error shape of the API, and the only place where errors of lower layers become responses. It
// knows HTTP statuses, Postgres error codes and package fault; it must not know any resource.
package apierror

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/providers/fault"
)

// Error is a response with a status of 400 or above. It implements huma.StatusError.
type Error struct {
	status int
	header http.Header
	Body   Body `json:"error"`
}

// Body is the object in the member "error".
type Body struct {
	Code    string            `json:"code" doc:"Stable word for programs." example:"invalid_request"`
	Message string            `json:"message" doc:"Sentence for a developer." example:"The request is not valid."`
	Details map[string]string `json:"details" doc:"What is wrong, by field; may be empty."`
}

// New returns an error without details.
func New(status int, code, message string) *Error {
	return &Error{status: status, Body: Body{Code: code, Message: message, Details: map[string]string{}}}
}

// With adds what is wrong with a field, and returns e.
func (e *Error) With(field, message string) *Error {
	e.Body.Details[field] = message
	return e
}

// WithHeader adds a header to the response, and returns e.
func (e *Error) WithHeader(name, value string) *Error {
	if e.header == nil {
		e.header = http.Header{}
	}
	e.header.Set(name, value)
	return e
}

// OrNil returns e if anything is wrong with a field.
func (e *Error) OrNil() error {
	if len(e.Body.Details) == 0 {
		return nil
	}
	return e
}

// Error implements error.
func (e *Error) Error() string { return e.Body.Message }

// GetStatus implements huma.StatusError.
func (e *Error) GetStatus() int { return e.status }

// GetHeaders implements huma.HeadersError.
func (e *Error) GetHeaders() http.Header { return e.header }

// Errors of more than one resource.

// Invalid returns the error for a request that does not validate; name every wrong field by With.
func Invalid() *Error {
	return New(http.StatusBadRequest, "invalid_request", "The request is not valid.")
}

// NotFound returns the error for a resource that does not exist or belongs to another account.
func NotFound(what string) *Error {
	return New(http.StatusNotFound, "not_found", upperFirst(what)+" not found.")
}

// Conflict returns the error for a request that the present state does not allow.
func Conflict(message string) *Error { return New(http.StatusConflict, "conflict", message) }

// Internal returns the error for a failure of ours. It says nothing about the cause.
func Internal() *Error {
	return New(http.StatusInternalServerError, "internal_error", "Something went wrong on our side.")
}

// Unavailable returns the error for a request that cannot be served now, by no fault of its own, and may be repeated as it is.
func Unavailable() *Error {
	return New(http.StatusServiceUnavailable, "unavailable",
		"This request cannot be served now. Repeat it in a moment.").WithHeader("Retry-After", "2")
}

// codes are the codes of errors from the HTTP layers, by status.
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

// FromStatus returns an error for a status, with the code that belongs to it.
func FromStatus(status int, message string) *Error {
	code, known := codes[status]
	if !known || status >= http.StatusInternalServerError {
		return Internal()
	}
	return New(status, code, message)
}

// FromDB returns the error for a failed query. A violated composite foreign key means that the parent does not exist or
// belongs to another account: both are 404. The field is the name of the constraint without its table.
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

// FromFailure returns the error for what no handler expects: a database that is not there or does not answer in time, or a
// failure of ours.
func FromFailure(err error) *Error {
	if db.Unavailable(err) || errors.Is(err, context.DeadlineExceeded) {
		return Unavailable()
	}
	return Internal()
}

// Violates reports whether err is the violation of the named constraint.
func Violates(err error, constraint string) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.ConstraintName == constraint
}

// FromFault returns the error for the failure of an outside service.
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
