package apierror_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/providers/fault"
)

var (
	_ huma.StatusError  = (*apierror.Error)(nil)
	_ huma.HeadersError = (*apierror.Error)(nil)
)

func TestErrorOnTheWire(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]*apierror.Error{
		`{"error":{"code":"invalid_request","message":"The request is not valid.","details":{}}}`: apierror.Invalid(),
		`{"error":{"code":"invalid_request","message":"The request is not valid.","details":{"a":"is required","b":"is long"}}}`: apierror.Invalid().
			With("a", "is required").With("b", "is long"),
		`{"error":{"code":"not_found","message":"Scheduled call not found.","details":{}}}`:              apierror.NotFound("scheduled call"),
		`{"error":{"code":"conflict","message":"The call is over.","details":{}}}`:                       apierror.Conflict("The call is over."),
		`{"error":{"code":"internal_error","message":"Something went wrong on our side.","details":{}}}`: apierror.Internal(),
		`{"error":{"code":"insufficient_credits","message":"Too few credits.","details":{}}}`: apierror.New(402,
			"insufficient_credits", "Too few credits."),
		`{"error":{"code":"rate_limited","message":"Too many requests.","details":{}}}`: apierror.FromStatus(429,
			"Too many requests."),
		`{"error":{"code":"not_found","message":" not found.","details":{}}}`: apierror.NotFound(""),
		`{"error":{"code":"payload_too_large","message":"The request body is too large.","details":{"x":""}}}`: apierror.FromStatus(413,
			"The request body is too large.").With("x", ""),
	} {
		text, encodeErr := json.Marshal(err)
		require.NoError(t, encodeErr)
		require.JSONEq(t, want, string(text))
		require.Equal(t, err.Body.Message, err.Error())
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	err := apierror.New(http.StatusTooManyRequests, "rate_limited", "Too many requests.")
	require.Empty(t, err.GetHeaders())
	err.WithHeader("Retry-After", "3").WithHeader("retry-after", "4")
	require.Equal(t, http.Header{"Retry-After": {"4"}}, err.GetHeaders())
	require.Equal(t, http.StatusTooManyRequests, err.GetStatus())
}

// Two requests that fail alike must not share what is wrong with them.
func TestErrorsShareNothing(t *testing.T) {
	t.Parallel()
	apierror.Invalid().With("a", "is required")
	require.Empty(t, apierror.Invalid().Body.Details)
}

func TestFromStatus(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 429} {
		err := apierror.FromStatus(status, "No.")
		require.Equal(t, status, err.GetStatus())
		require.NotEqual(t, "internal_error", err.Body.Code)
		require.Equal(t, "No.", err.Body.Message)
	}
	for _, status := range []int{0, 200, 418, 500, 502, 503, 504} {
		require.Equal(t, apierror.Internal(), apierror.FromStatus(status, "dial tcp 10.0.0.1: refused"))
	}
}

func TestFromDB(t *testing.T) {
	t.Parallel()
	require.NoError(t, apierror.FromDB("call", nil))

	var response *apierror.Error
	require.ErrorAs(t, apierror.FromDB("scheduled call", fmt.Errorf("get: %w", pgx.ErrNoRows)), &response)
	require.Equal(t, http.StatusNotFound, response.GetStatus())
	require.Equal(t, "Scheduled call not found.", response.Body.Message)
	require.Empty(t, response.Body.Details)

	foreign := &pgconn.PgError{Code: pgerrcode.ForeignKeyViolation, TableName: "scheduled_call",
		ConstraintName: "scheduled_call_contact_id_fkey"}
	require.ErrorAs(t, apierror.FromDB("scheduled call", fmt.Errorf("insert: %w", foreign)), &response)
	require.Equal(t, http.StatusNotFound, response.GetStatus())
	require.Equal(t, apierror.Body{Code: "not_found", Message: "Contact not found.",
		Details: map[string]string{"contact_id": "not found"}}, response.Body)

	for _, other := range []error{
		&pgconn.PgError{Code: pgerrcode.UniqueViolation, ConstraintName: "contact_phone_number_key"}, errors.New("closed pool"),
		context.Canceled,
	} {
		require.Same(t, other, apierror.FromDB("contact", other), "what is not known here is for the log")
	}
}

func TestViolates(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("insert: %w", &pgconn.PgError{Code: pgerrcode.UniqueViolation, ConstraintName: "contact_phone_number_key"})
	require.True(t, apierror.Violates(err, "contact_phone_number_key"))
	require.False(t, apierror.Violates(err, "contact_pkey"))
	require.False(t, apierror.Violates(errors.New("contact_phone_number_key"), "contact_phone_number_key"))
	require.False(t, apierror.Violates(nil, ""))
}

func TestFromFault(t *testing.T) {
	t.Parallel()
	const secret = "account 12345 at 10.0.0.1"
	for name, test := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"refused":     {fault.New(fault.Refused, "acme", secret), http.StatusBadRequest, "invalid_request"},
		"unavailable": {fault.New(fault.Unavailable, "acme", secret), http.StatusBadGateway, "upstream_error"},
		"timeout":     {fault.New(fault.Timeout, "acme", secret), http.StatusGatewayTimeout, "upstream_timeout"},
		"deadline":    {context.DeadlineExceeded, http.StatusGatewayTimeout, "upstream_timeout"},
	} {
		var response *apierror.Error
		require.ErrorAs(t, apierror.FromFault(fmt.Errorf("search numbers: %w", test.err)), &response, name)
		require.Equal(t, test.status, response.GetStatus(), name)
		require.Equal(t, test.code, response.Body.Code, name)
		require.NotContains(t, response.Body.Message, secret, name)
	}
	denied := fault.New(fault.Denied, "acme", secret)
	require.Same(t, denied, apierror.FromFault(denied), "our own key does not work: an alert and 500")
	require.NoError(t, apierror.FromFault(nil))
}
