package middleware_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
)

func TestOtherOriginsAreNotAllowedByDefault(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	response := server.Do(t, http.MethodGet, "/v1/contacts", nil, "Origin", "https://app.example.com")
	require.Equal(t, http.StatusOK, response.Status)
	require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
	preflight := server.DoAs(
		t,
		"",
		http.MethodOptions,
		"/v1/contacts",
		nil,
		"Origin",
		"https://app.example.com",
		"Access-Control-Request-Method",
		"POST",
	)
	require.Empty(t, preflight.Header.Get("Access-Control-Allow-Origin"))
}

func TestOriginsThatAreAllowed(t *testing.T) {
	t.Parallel()

	const origin = "https://app.example.com"
	server := apitest.New(t, func(a *api.API) { a.CORSOrigins = []string{origin} })
	for _, path := range []string{"/v1/contacts", "/contacts"} {
		preflight := server.DoAs(
			t,
			"",
			http.MethodOptions,
			path,
			nil,
			"Origin",
			origin,
			"Access-Control-Request-Method",
			"POST",
			"Access-Control-Request-Headers",
			"authorization,content-type,idempotency-key",
		)
		require.Equal(t, http.StatusNoContent, preflight.Status, "it needs no key")
		require.Equal(t, origin, preflight.Header.Get("Access-Control-Allow-Origin"))
		require.Equal(t, "POST", preflight.Header.Get("Access-Control-Allow-Methods"))
		require.Equal(t, "authorization,content-type,idempotency-key", preflight.Header.Get("Access-Control-Allow-Headers"))
		require.Equal(t, "600", preflight.Header.Get("Access-Control-Max-Age"))
		require.Empty(t, preflight.Header.Get("Access-Control-Allow-Credentials"))

		for key, status := range map[string]int{server.Key: http.StatusOK, "": http.StatusUnauthorized} {
			response := server.DoAs(t, key, http.MethodGet, path, nil, "Origin", origin)
			require.Equal(t, status, response.Status)
			require.Equal(
				t,
				origin,
				response.Header.Get("Access-Control-Allow-Origin"),
				"also on errors, so that the page can read them",
			)
			require.Contains(t, response.Header.Get("Access-Control-Expose-Headers"), "X-Ratelimit-Remaining")
			require.Contains(t, response.Header.Values("Vary"), "Origin")
		}
	}
	for _, headers := range [][]string{
		{"Origin", "https://evil.example.com", "Access-Control-Request-Method", "POST"},
		{"Origin", "http://app.example.com", "Access-Control-Request-Method", "POST"},
		{"Origin", origin, "Access-Control-Request-Method", "TRACE"},
		{"Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-other"},
	} {
		preflight := server.DoAs(t, "", http.MethodOptions, "/v1/contacts", nil, headers...)
		require.Empty(t, preflight.Header.Get("Access-Control-Allow-Origin"), headers)
	}
	options := server.DoAs(t, "", http.MethodOptions, "/v1/contacts", nil)
	require.Equal(
		t,
		"GET, POST, HEAD, OPTIONS",
		options.Header.Get("Allow"),
		"an OPTIONS that is no preflight is answered as ever",
	)
}

// Whatever a request is refused for, it is refused in the one shape, with or without the prefix.
func TestRefusalsHaveOneShape(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	for _, prefix := range []string{"/v1", ""} {
		for _, test := range []struct {
			status       int
			code         string
			method, path string
			body         any
			headers      []string
			allow        string
		}{
			{404, "not_found", "GET", "/nothing", nil, nil, ""},
			{404, "not_found", "OPTIONS", "/nothing", nil, nil, ""},
			{404, "not_found", "POST", "/contacts/0192f0c2-11b0-7a41-8f6e-52d7c9a03e88/nothing", `{}`, nil, ""},
			{405, "method_not_allowed", "DELETE", "/contacts", nil, nil, "GET, POST, HEAD, OPTIONS"},
			{405, "method_not_allowed", "PATCH", "/calls/direct", `{}`, nil, ""},
			{405, "method_not_allowed", "POST", "/user/profile", `{}`, nil, "GET, PATCH, HEAD, OPTIONS"},
			{405, "method_not_allowed", "TRACE", "/contacts", nil, nil, "GET, POST, HEAD, OPTIONS"},
			{406, "not_acceptable", "GET", "/contacts", nil, []string{"Accept", "text/html"}, ""},
			{415, "unsupported_media_type", "POST", "/contacts", `{}`, []string{"Content-Type", "text/csv"}, ""},
			{400, "invalid_request", "POST", "/contacts", `{`, nil, ""},
		} {
			response := server.Do(t, test.method, prefix+test.path, test.body, test.headers...)
			response.WantError(t, test.status, test.code)
			if test.allow != "" {
				require.Equal(t, test.allow, response.Header.Get("Allow"))
			}
		}
		unknown := server.DoAs(t, "", http.MethodGet, prefix+"/contacts", nil)
		unknown.WantError(t, http.StatusUnauthorized, "unauthorized")
		require.Equal(t, "Bearer", unknown.Header.Get("WWW-Authenticate"), "RFC 9110, section 15.5.2")
	}
}

// Responses to authenticated callers are not stored by caches.
func TestAnswersAreNotStored(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	for _, test := range []struct{ method, path, body string }{
		{"GET", "/v1/contacts", ""}, {"HEAD", "/v1/contacts", ""}, {"GET", "/contacts", ""}, {"GET", "/v1/contacts/no-id", ""},
		{"GET", "/v1/contacts?limit=0", ""},
		{"POST", "/v1/contacts", `{"phone_number": "+31612345678"}`}, {"POST", "/v1/contacts", `{`},
	} {
		var body any
		if test.body != "" {
			body = test.body
		}
		response := server.Do(t, test.method, test.path, body)
		require.Equal(t, "no-store", response.Header.Get("Cache-Control"), "%s %s", test.method, test.path)
	}
	require.Equal(t, "no-store", server.DoAs(t, "", http.MethodGet, "/v1/contacts", nil).Header.Get("Cache-Control"))
}
