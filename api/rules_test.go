package api_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbtest"
)

// TestOneResponseNamesAllThatIsWrong sends what the schema refuses together with what rules refuse. Nothing is named that is
// right.
func TestOneResponseNamesAllThatIsWrong(t *testing.T) {
	t.Parallel()
	server := apitest.NewOn(t, dbtest.Pool(t))
	for name, test := range map[string]struct {
		path string
		body any
		want []string
	}{
		"Assistant": {"/v1/assistants", object{
			"assistant_name": " ", "max_call_duration_seconds": "long", "notifications_email": "nobody", "background_sound": "street",
			"unknown":          1,
			"post_call_emails": []any{"a@example.com", "b"}, "model": object{"tools": []any{object{"type": "transferCall",
				"destinations": []any{object{"sipUri": "sip:a@b;maddr=c"}}}}},
		}, []string{"assistant_name", "background_sound", "max_call_duration_seconds", "model.tools[0].destinations[0].sipUri",
			"notifications_email", "post_call_emails[1]", "unknown"}},
		"Contact": {"/v1/contacts", object{"phone_number": "12", "email": "nobody", "full_name": 7},
			[]string{"email", "full_name", "phone_number"}},
		"ContactBySchema": {"/v1/contacts", object{"phone_number": 12, "email": "a@example.com"}, []string{"phone_number"}},
		"Call": {"/v1/calls/direct", object{"assistant_id": "x", "contact_phone_number": "12", "custom_data": 7},
			[]string{"assistant_id", "contact_phone_number", "custom_data"}},
		"CallToOneOfTwo": {"/v1/calls/direct", object{"assistant_id": "0198c5f2-7d1e-7cc0-8e4f-000000000000", "contact_id": "x"},
			[]string{"contact_id"}},
		"CallToNobody": {"/v1/calls/direct", object{"assistant_id": "x"},
			[]string{"assistant_id", "contact_id", "contact_phone_number"}},
		"ScheduledCall": {"/v1/scheduled-calls", object{"assistant_id": "x", "contact_id": "y",
			"scheduled_time": "2999-01-01T00:00:00Z", "variables": object{"a": 1}},
			[]string{"assistant_id", "contact_id", "scheduled_time", "variables.a"}},
		"SIPConnection": {"/v1/sip-connections", object{"phone_number": "12", "sip_username": "a b", "sip_password": "",
			"sip_proxy": "sip:a"},
			[]string{"phone_number", "provider_name", "sip_password", "sip_proxy", "sip_username"}},
		"NoJSON": {"/v1/contacts", "{", []string{"body"}},
	} {
		response := server.Do(t, http.MethodPost, test.path, test.body)
		require.Equal(t, http.StatusBadRequest, response.Status, "%s: %s", name, response.Body)
		var named []string
		for field := range apitest.Decode[apitest.Error](t, response).Error.Details {
			named = append(named, field)
		}
		slices.Sort(named)
		require.Equal(t, test.want, named, "%s: %s", name, response.Body)
	}
}
