package callwright

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// APIError is a response that is no success.
type APIError struct {
	Status     int
	Code       string // stable word for programs, such as invalid_request
	Message    string
	Details    map[string]string // what is wrong, by field
	RequestID  string            // names the request in the server's log
	RetryAfter *time.Duration    // how long the server asks to wait; nil: it does not
}

// Error implements error. It is one line.
func (e *APIError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%d %s: %s", e.Status, e.Code, e.Message)
	for _, field := range slices.Sorted(maps.Keys(e.Details)) {
		fmt.Fprintf(&text, "; %s: %s", field, e.Details[field])
	}
	if e.RequestID != "" {
		fmt.Fprintf(&text, " (request %s)", e.RequestID)
	}
	return text.String()
}

// Temporary reports whether the same request may succeed later.
func (e *APIError) Temporary() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	// A repeated POST meets its own first attempt, which was cut off here and still runs there.
	return e.Code == "idempotency_in_progress"
}

// ConnectionError says that the server was not reached, or that its response was lost.
type ConnectionError struct {
	Host string
	Err  error
}

// Error implements error.
func (e *ConnectionError) Error() string {
	return fmt.Sprintf("no response from %s: %v", e.Host, e.Err)
}

// Unwrap returns the cause.
func (e *ConnectionError) Unwrap() error { return e.Err }

const maxErrorBody = 1 << 20

// fromResponse returns the error that a response is. It reads the body.
func fromResponse(resp *http.Response) *APIError {
	var body struct{ Error *APIError }
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil || json.Unmarshal(text, &body) != nil || body.Error == nil { // a proxy's page
		body.Error = &APIError{Code: "unexpected_response", Message: http.StatusText(resp.StatusCode)}
	}
	body.Error.Status, body.Error.RequestID, body.Error.RetryAfter = resp.StatusCode, resp.Header.Get("X-Request-Id"), nil
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds >= 0 {
		body.Error.RetryAfter = new(time.Duration(seconds) * time.Second)
	}
	return body.Error
}
