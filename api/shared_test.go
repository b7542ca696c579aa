package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
)

// What all requests share, over HTTP.

func TestBodiesAreReadStrictly(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	deep := strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70)
	for name, test := range map[string]struct {
		path, body string
		details    map[string]string
	}{
		"EveryMissingField": {"/v1/scheduled-calls", `{}`,
			map[string]string{"assistant_id": "is required", "contact_id": "is required", "scheduled_time": "is required"}},
		"UnknownField": {"/v1/contacts", `{"phone_number": "+31612345678", "shoe_size": 44}`,
			map[string]string{"shoe_size": "unexpected property"}},
		"OtherCase": {"/v1/contacts", `{"phone_number": "+31612345678", "Full_Name": "Jan"}`,
			map[string]string{"Full_Name": "unexpected property"}},
		"DuplicateName": {"/v1/contacts", `{"phone_number": "+31612345678", "phone_number": "+31612345679"}`,
			map[string]string{"phone_number": "has a name twice"}},
		"NUL": {"/v1/contacts", `{"phone_number": "+31612345678", "full_name": "Jan\u0000"}`,
			map[string]string{"full_name": "contains a NUL character"}},
		"NULDeepInAPlan": {"/v1/assistants", `{"assistant_name": "Ava", "metadata": {"list": ["a", {"b": "\u0000"}]}}`,
			map[string]string{"metadata.list[1].b": "contains a NUL character"}},
		"InvalidUTF8": {"/v1/contacts", "{\"phone_number\": \"+31612345678\", \"full_name\": \"Jan\xff\"}",
			map[string]string{"body": "is not valid UTF-8"}},
		"TooDeep": {"/v1/assistants", `{"assistant_name": "Ava", "metadata": ` + deep + `}`,
			map[string]string{"body": "is nested deeper than 64 levels"}},
		"WrongTypes": {"/v1/contacts", `{"phone_number": 1, "full_name": true}`,
			map[string]string{"phone_number": "expected string", "full_name": "expected string"}},
		"TooLong": {"/v1/assistants", `{"assistant_name": "` + strings.Repeat("a", 201) + `"}`,
			map[string]string{"assistant_name": "expected length <= 200"}},
		"RulesBesidesSchema": {"/v1/contacts", `{"phone_number": "12", "email": "nobody"}`,
			map[string]string{"phone_number": "is not a phone number in E.164, such as +31612345678",
				"email": "is not an e-mail address"}},
	} {
		t.Run(name, func(t *testing.T) {
			details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, test.path, test.body)
			require.Equal(t, test.details, details)
		})
	}
	for name, body := range map[string]string{
		"Empty": "", "Array": "[]", "Null": "null", "Number": "1", "Cut": `{"phone_number": "+316`,
		"Garbage": `{"phone_number": "+31612345678"} x`, "TwoValues": `{} {}`,
	} {
		t.Run(name, func(t *testing.T) {
			details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, "/v1/contacts", body)
			if body != "" {
				require.NotEmpty(t, details)
			}
		})
	}
}

// Times that an offset moves out of the years that RFC 3339 can write could be stored and never be returned.
func TestTimesAreWritableInUTC(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	contact := dbfactory.Contact(t, server.Tx, server.Account.ID).ID.String()
	assistant := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID).ID.String()
	for _, test := range []struct{ method, path, field, body string }{
		{"POST", "/v1/contacts", "last_interaction_at", `{"phone_number": "+31612345678", "last_interaction_at": %q}`},
		{"PUT", "/v1/contacts/" + contact, "meeting_date", `{"meeting_date": %q}`},
		{"PATCH", "/v1/contacts/" + contact, "last_interaction_at", `{"last_interaction_at": %q}`},
		{"POST", "/v1/api-keys", "expires_at", `{"expires_at": %q}`},
		{"POST", "/v1/scheduled-calls", "scheduled_time", `{"assistant_id": "` + assistant + `", "contact_id": "` + contact +
			`", "scheduled_time": %q}`},
	} {
		for _, moment := range []string{"9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00"} {
			details := server.WantError(t, http.StatusBadRequest, "invalid_request", test.method, test.path,
				fmt.Sprintf(test.body, moment))
			require.Contains(t, details, test.field)
		}
	}
}

func TestQueriesAreReadStrictly(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	for query, field := range map[string]string{
		"limit=0": "limit", "limit=101": "limit", "limit=x": "limit", "limit=1.5": "limit", "offset=-1": "offset", "offset=x": "offset",
		"limit=5&limit=7": "limit", "full_name=%00": "full_name", "full_name=%ff": "full_name", "shoe_size=44": "shoe_size",
		"limit=%zz":       "query",
		"phone_number=12": "phone_number",
	} {
		t.Run(query, func(t *testing.T) {
			details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodGet, "/v1/contacts?"+query, nil)
			require.Contains(t, details, field)
			require.Len(t, details, 1)
		})
	}
	details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodGet, "/v1/contacts?limit=0&offset=-1", nil)
	require.Len(t, details, 2, "every wrong field is named")
}

func TestMediaTypes(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	const body = `{"phone_number": "+31612345678"}`
	server.WantError(t, http.StatusUnsupportedMediaType, "unsupported_media_type", http.MethodPost, "/v1/contacts", body,
		"Content-Type", "text/plain")
	server.WantError(t, http.StatusUnsupportedMediaType, "unsupported_media_type", http.MethodPost, "/v1/contacts", body,
		"Content-Type", "application/xml")
	server.WantError(t, http.StatusNotAcceptable, "not_acceptable", http.MethodPost, "/v1/contacts", body, "Accept",
		"application/xml")
	server.WantError(t, http.StatusNotAcceptable, "not_acceptable", http.MethodGet, "/v1/contacts", nil, "Accept",
		"application/json;q=0")
	for _, accept := range []string{"*/*", "application/*", "application/json", "text/html, application/json;q=0.5",
		"text/html,*/*;q=0.1"} {
		response := server.Do(t, http.MethodGet, "/v1/contacts", nil, "Accept", accept)
		require.Equal(t, http.StatusOK, response.Status, accept)
		require.Equal(t, "application/json", response.Header.Get("Content-Type"))
	}
	list := apitest.Want[map[string]any](t, server, http.StatusOK, http.MethodGet, "/v1/contacts", nil)
	require.Empty(t, list["data"], "what was not acceptable was not done")
	require.Equal(t, http.StatusCreated, server.Do(t, http.MethodPost, "/v1/contacts", body, "Content-Type",
		"application/json; charset=utf-8").Status)
}

func TestBodyLimit(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	large := `{"phone_number": "+31612345678", "full_name": "` + strings.Repeat("a", 1<<20) + `"}`
	server.WantError(t, http.StatusRequestEntityTooLarge, "payload_too_large", http.MethodPost, "/v1/contacts", large)
	unannounced := struct{ *strings.Reader }{strings.NewReader(large)} // of a kind whose length http does not know
	server.WantError(t, http.StatusRequestEntityTooLarge, "payload_too_large", http.MethodPost, "/v1/contacts", unannounced)
	unannounced.Reset(large)
	server.WantError(t, http.StatusRequestEntityTooLarge, "payload_too_large", http.MethodPost, "/v1/contacts", unannounced,
		"Idempotency-Key", "order-1")
}

func TestPathsAndMethods(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, "/v1/nothing", nil)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, "/v1", nil)
	for _, path := range []string{"/v1/contacts/no-id", "/v1/assistants/no-id/phone-number", "/v1/calls/%00",
		"/v1/scheduled-calls/1", "/v1/phone-numbers/x"} {
		server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, path, nil)
	}

	response := server.Do(t, http.MethodPut, "/v1/contacts", `{}`)
	response.WantError(t, http.StatusMethodNotAllowed, "method_not_allowed")
	require.Equal(t, "GET, POST, HEAD, OPTIONS", response.Header.Get("Allow"))
	options := server.DoAs(t, "", http.MethodOptions, "/v1/contacts", nil)
	require.Equal(t, http.StatusNoContent, options.Status)
	require.Equal(t, "GET, POST, HEAD, OPTIONS", options.Header.Get("Allow"))
	server.WantError(t, http.StatusMethodNotAllowed, "method_not_allowed", "BREW", "/v1/contacts", nil)

	head := server.Do(t, http.MethodHead, "/v1/contacts", nil)
	require.Equal(t, http.StatusOK, head.Status)
	require.Equal(t, http.StatusUnauthorized, server.DoAs(t, "", http.MethodHead, "/v1/contacts", nil).Status)

	for _, path := range []string{"/contacts", "/contacts/", "/v1/contacts/"} {
		require.Equal(t, http.StatusOK, server.Do(t, http.MethodGet, path, nil).Status, path)
	}
	contact := dbfactory.Contact(t, server.Tx, server.Account.ID)
	require.Equal(t, http.StatusOK, server.Do(t, http.MethodGet, "/contacts/"+contact.ID.String(), nil).Status)
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, "/contacts/"+contact.ID.String(), nil).Status)
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	require.Equal(t, "order-17.a_B", server.Do(t, http.MethodGet, "/v1/contacts", nil, "X-Request-Id",
		"order-17.a_B").Header.Get("X-Request-Id"))
	for _, strange := range []string{"", "a b", "a\"b", strings.Repeat("a", 129), "<script>"} {
		id := server.Do(t, http.MethodGet, "/v1/contacts", nil, "X-Request-Id", strange).Header.Get("X-Request-Id")
		require.Len(t, id, 36, strange)
	}
}

// brokenDB fails as a database does that went away, or worse.
type brokenDB struct {
	db.Beginner
	panics bool
}

func (b brokenDB) Begin(context.Context) (pgx.Tx, error) {
	if b.panics {
		panic("secret-of-the-panic")
	}
	return nil, errors.New("dial tcp 10.0.0.7:5432: secret-of-the-database")
}

func TestFailuresOfOursSayNothing(t *testing.T) {
	t.Parallel()

	for name, panics := range map[string]bool{"Error": false, "Panic": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			server := apitest.New(t, func(a *api.API) {
				a.DB = brokenDB{a.DB, panics}
				a.Logger = slog.New(slog.NewJSONHandler(&log, nil))
			})
			response := server.Do(t, http.MethodPost, "/v1/contacts", `{"phone_number": "+31612345678", "full_name": "Jan de Boer"}`,
				"X-Request-Id", "request-1")
			require.Empty(t, response.WantError(t, http.StatusInternalServerError, "internal_error"))
			require.NotContains(t, string(response.Body), "secret-of")
			require.Contains(t, log.String(), "secret-of", "the operator learns the reason")
			require.Contains(t, log.String(), `"request_id":"request-1"`)
		})
	}
}

func TestAccessLog(t *testing.T) {
	t.Parallel()

	var log bytes.Buffer
	server := apitest.New(t, func(a *api.API) { a.Logger = slog.New(slog.NewJSONHandler(&log, nil)) })
	contact := dbfactory.Contact(t, server.Tx, server.Account.ID)
	server.Do(t, http.MethodGet, "/contacts/"+contact.ID.String(), nil)
	server.Do(t, http.MethodPost, "/v1/contacts?full_name=Jan", `{"phone_number": "+31612345678"}`)

	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	require.Len(t, lines, 2, "one line per request: %s", log.String())
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &line))
	require.Equal(t, "request", line["msg"])
	require.Contains(t, line["route"], "/contacts/{contact_id}")
	require.EqualValues(t, http.StatusOK, line["status"])
	require.NotContains(t, log.String(), contact.ID.String())
	require.NotContains(t, log.String(), "Jan")
	require.NotContains(t, log.String(), server.Key)
}

func TestOps(t *testing.T) {
	t.Parallel()

	ops := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("ops at " + r.URL.Path)) })
	server := apitest.New(t, func(a *api.API) { a.Ops, a.OperatorPassword = ops, "right" })
	ask := func(path, user, password string) *httptest.ResponseRecorder {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		if user != "" {
			request.SetBasicAuth(user, password)
		}
		recorder := httptest.NewRecorder()
		server.Handler.ServeHTTP(recorder, request)
		return recorder
	}
	require.Equal(t, http.StatusUnauthorized, ask("/ops/", "", "").Code)
	require.NotEmpty(t, ask("/ops/", "", "").Header().Get("WWW-Authenticate"))
	require.Equal(t, http.StatusUnauthorized, ask("/ops/", "operator", "wrong").Code)
	require.Equal(t, http.StatusUnauthorized, ask("/ops/", "someone", "right").Code)
	require.Equal(t, "ops at /ops/jobs", ask("/ops/jobs", "operator", "right").Body.String())

	open := apitest.New(t, func(a *api.API) { a.Ops = ops })
	server = open
	require.Equal(t, http.StatusNotFound, ask("/ops/", "operator", "").Code, "without a password it is not served")
}
