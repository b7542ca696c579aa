package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/api/middleware"
)

func TestFieldName(t *testing.T) {
	t.Parallel()
	for location, field := range map[string]string{
		"body": "body", "": "body", "body.full_name": "full_name", "body.faqs[0].question": "faqs[0].question", "query.limit": "limit",
		"path.id": "id", "header.Idempotency-Key": "Idempotency-Key", "body.body": "body", "body.query.limit": "query.limit",
		"document": "document",
	} {
		require.Equal(t, field, fieldName(location), location)
	}
}

func TestNewErrorNamesEveryField(t *testing.T) {
	t.Parallel()
	missing := func(name string) string { return "expected required property " + name + " to be present" }
	for name, test := range map[string]struct {
		errs []error
		want map[string]string
	}{
		"several missing": {
			[]error{&huma.ErrorDetail{Location: "body", Message: missing("a")},
				&huma.ErrorDetail{Location: "body", Message: missing("b")}},
			map[string]string{"a": "is required", "b": "is required"},
		},
		"missing below": {
			[]error{
				&huma.ErrorDetail{Location: "body.plan", Message: missing("goal")},
				&huma.ErrorDetail{Location: "body.plan", Message: missing("name")},
				&huma.ErrorDetail{Location: "body.faqs[2]", Message: missing("question")},
			},
			map[string]string{"plan.goal": "is required", "plan.name": "is required", "faqs[2].question": "is required"},
		},
		"missing below a field named body": {
			[]error{&huma.ErrorDetail{Location: "body.body", Message: missing("text")}}, map[string]string{"body.text": "is required"},
		},
		"missing parameter": {
			[]error{&huma.ErrorDetail{Location: "query.start", Message: "required query parameter is missing"}},
			map[string]string{"start": "is required"},
		},
		"two faults of one field": {
			[]error{&huma.ErrorDetail{Location: "body.a", Message: "expected string"},
				&huma.ErrorDetail{Location: "body.a", Message: "expected length <= 3"}},
			map[string]string{"a": "expected string; expected length <= 3"},
		},
		"one fault told twice": {
			[]error{&huma.ErrorDetail{Location: "body.a", Message: "expected string"},
				&huma.ErrorDetail{Location: "body.a", Message: "expected string"}},
			map[string]string{"a": "expected string"},
		},
		"of the JSON check": {
			[]error{&huma.ErrorDetail{Location: "body", Message: (&jsonProblem{"faqs[0].what: \"then\"\x00",
				"has a name twice"}).Error()}},
			map[string]string{"faqs[0].what: \"then\"\x00": "has a name twice"},
		},
		"that only resembles one": {
			[]error{&huma.ErrorDetail{Location: "body", Message: "place: words"}}, map[string]string{"body": "place: words"},
		},
		"of a layer below": {[]error{errors.New("dial tcp 10.0.0.1: refused")}, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := newError(http.StatusUnprocessableEntity, "validation failed", test.errs)
			require.Equal(t, http.StatusBadRequest, response.GetStatus())
			require.Equal(t, "invalid_request", response.Body.Code)
			require.Equal(t, "The request is not valid.", response.Body.Message)
			require.Equal(t, test.want, response.Body.Details)
		})
	}
}

func TestNewErrorByStatus(t *testing.T) {
	t.Parallel()
	for status, code := range map[int]string{
		http.StatusNotAcceptable: "not_acceptable", http.StatusRequestTimeout: "request_timeout",
		http.StatusUnsupportedMediaType: "unsupported_media_type", http.StatusBadRequest: "invalid_request",
	} {
		response := newError(status, "request body is slow", nil)
		require.Equal(t, status, response.GetStatus())
		require.Equal(t, code, response.Body.Code)
		require.Equal(t, "Request body is slow.", response.Body.Message)
		require.Empty(t, response.Body.Details)
	}
	for _, status := range []int{http.StatusInternalServerError, http.StatusBadGateway} {
		response := newError(status, "dial tcp 10.0.0.1: refused", []error{&huma.ErrorDetail{Location: "body", Message: "secret"}})
		require.Equal(t, apierror.Internal(), response, "of our failures the caller learns nothing")
	}
	require.Equal(t, "The request is not valid.", newError(http.StatusBadRequest, "", nil).Body.Message)

	tooLong := fmt.Errorf("read body: %w", &http.MaxBytesError{Limit: maxJSONBody})
	require.Equal(t, middleware.TooLarge(), newError(http.StatusInternalServerError-1, "cannot read request body", []error{tooLong}))
	require.Equal(t, middleware.TooLarge(), newError(http.StatusBadRequest, "cannot read request body",
		[]error{errors.New("x"), tooLong}))
}

// The words that are looked for are Huma's: this fails when it changes them.
func TestErrorsOfHuma(t *testing.T) {
	t.Parallel()
	router := chi.NewRouter()
	document := newHuma(router, "1")
	type plan struct {
		Goal  string `json:"goal"`
		Steps []struct {
			Say string `json:"say"`
		} `json:"steps"`
	}
	type input struct {
		Since string `query:"since" required:"true"`
		Limit int    `query:"limit" maximum:"10"`
		Key   string `header:"Idempotency-Key" required:"true"`
		Body  struct {
			Name  string `json:"name" maxLength:"3" pattern:"^a"`
			Count int    `json:"count"`
			Plan  *plan  `json:"plan,omitempty"`
		}
	}
	huma.Register(document, huma.Operation{Method: http.MethodPost, Path: "/things", OperationID: "create-thing",
		MaxBodyBytes: 1000},
		func(context.Context, *input) (*struct{}, error) { return nil, nil })
	for body, want := range map[string]string{
		`{}`: `{"since":"is required","Idempotency-Key":"is required","name":"is required","count":"is required"}`,
		`{"plan":{"steps":[{"say":"x"},{}]},"name":"a"}`: `{"since":"is required","Idempotency-Key":"is required","count":"is required",` +
			`"plan.goal":"is required","plan.steps[1].say":"is required"}`,
		`{"name":"bbbb","count":1}`: `{"since":"is required","Idempotency-Key":"is required",` +
			`"name":"expected length <= 3; expected string to match pattern ^a"}`,
		`{"name":"a","count":1,"count":2}`: `{"since":"is required","Idempotency-Key":"is required","count":"has a name twice"}`,
	} {
		response := askBody(router, "/things?limit=11", body)
		require.Equal(t, http.StatusBadRequest, response.Code, body)
		require.JSONEq(t, `{"error":{"code":"invalid_request","message":"The request is not valid.","details":`+
			strings.Replace(want, "{", `{"limit":"expected number <= 10",`, 1)+`}}`, response.Body.String(), body)
	}
	response := askBody(router, "/things?since=x", `{"name":"a","count":1e3}`, "Idempotency-Key", "k")
	require.Equal(t, http.StatusNoContent, response.Code, "an integer to JSON Schema")
	response = askBody(router, "/things", `{"name":"`+strings.Repeat("a", 1000)+`"}`)
	require.Equal(t, http.StatusRequestEntityTooLarge, response.Code)
	require.JSONEq(t, `{"error":{"code":"payload_too_large","message":"The request body is too large.","details":{}}}`,
		response.Body.String(), "as where the length was announced")
	response = askBody(router, "/things?since=x", "", "Idempotency-Key", "k")
	require.JSONEq(t, `{"error":{"code":"invalid_request","message":"Request body is required.","details":{"body":"is required"}}}`,
		response.Body.String())
}

func askBody(handler http.Handler, target, body string, header ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		request.Header.Add(header[i], header[i+1])
	}
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	return response
}

func TestAsError(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	a := &API{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	known := apierror.Conflict("The call is over.")
	require.Same(t, known, a.asError(t.Context(), fmt.Errorf("end call: %w", known)))
	require.Empty(t, log.String())

	require.Equal(t, apierror.Internal(), a.asError(t.Context(), errors.New("deadlock detected")))
	require.Contains(t, log.String(), "deadlock detected")

	log.Reset()
	gone, leave := context.WithCancel(t.Context())
	leave()
	require.Equal(t, apierror.Internal(), a.asError(gone, context.Canceled))
	require.Empty(t, log.String(), "a canceled request is not an error to log")
}

func TestSentence(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{"": "The request is not valid.", "no": "No.", "Done.": "Done.", "x": "X."} {
		require.Equal(t, want, sentence(message))
	}
}
