package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbtest"
)

// TestIdempotencyKeysThatAreNone refuses what its sender believes to be a key: repeated, the request would be carried out twice.
func TestIdempotencyKeysThatAreNone(t *testing.T) {
	t.Parallel()
	server := apitest.NewOn(t, dbtest.Pool(t))
	for name, test := range map[string]struct {
		keys []string
		why  string
	}{
		"Empty":      {[]string{""}, "is empty; it has 1 to 255 characters"},
		"Twice":      {[]string{"a", "a"}, "is given more than once"},
		"EmptyFirst": {[]string{"", "a"}, "is given more than once"},
		"Long":       {[]string{strings.Repeat("a", 256)}, "expected length <= 255"},
		"Control":    {[]string{"a\x01b"}, "holds other characters than printable ASCII"},
		"Delete":     {[]string{"a\x7f"}, "holds other characters than printable ASCII"},
		"NotASCII":   {[]string{"caf\u00e9"}, "holds other characters than printable ASCII"},
	} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/contacts",
			strings.NewReader(`{"phone_number": 1}`))
		request.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + server.Key},
			"Idempotency-Key": test.keys}
		recorder := httptest.NewRecorder()
		server.Handler.ServeHTTP(recorder, request)
		require.Equal(t, http.StatusBadRequest, recorder.Code, name)
		details := apitest.Decode[apitest.Error](t, &apitest.Response{Body: recorder.Body.Bytes()}).Error.Details
		require.Equal(t, test.why, details["Idempotency-Key"], name)
		require.Contains(t, details, "phone_number", "%s: the rest is read too", name)
	}
	longest := strings.Repeat("~", 255)
	for range 2 {
		apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/contacts", object{"phone_number": "+31612345678"},
			"Idempotency-Key", longest)
	}
}
