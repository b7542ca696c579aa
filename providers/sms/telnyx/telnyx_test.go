package telnyx

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/faulttest"
	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/sms"
	"github.com/callwright/callwright/providers/sms/smstest"
)

func TestSender(t *testing.T) {
	t.Parallel()
	url := faulttest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		var body map[string]string
		if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" || json.NewDecoder(r.Body).Decode(&body) != nil ||
			body["to"] != smstest.Message().To || body["text"] != smstest.Message().Text || body["from"] != "Linden" ||
			body["messaging_profile_id"] != "profile" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		io.WriteString(w,
			`{"data":{"id":"x1","record_type":"message","to":[{"phone_number":"+31612345678","status":"queued"}],"errors":[]}}`)
	})
	sender := New(Config{BaseURL: url, APIKey: faulttest.Key, From: "Linden", Profile: "profile", HTTP: openaihttp.NewClient()})
	smstest.Run(t, sender)
	id, err := sender.Send(t.Context(), smstest.Message())
	require.NoError(t, err)
	require.Equal(t, "x1", id)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	call := func(ctx context.Context, baseURL string) error {
		_, err := New(Config{BaseURL: baseURL, APIKey: faulttest.Key, From: "Linden", Wait: faulttest.Wait,
			HTTP: openaihttp.NewClient()}).Send(ctx, smstest.Message())
		return err
	}
	faulttest.Run(t, faulttest.Adapter{Call: call, ContentType: "application/json", Begin: `{"data":{"id":"x`,
		Endless: strings.Repeat("x", 4096)})

	for code, want := range map[string]fault.Kind{"40310": fault.Refused, "40305": fault.Denied, "20100": fault.Denied} {
		url := faulttest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			io.WriteString(w, `{"errors":[{"code":"`+code+`","title":"No","detail":"not\nthis way"}]}`)
		})
		err := call(t.Context(), url)
		faulttest.Require(t, want, err)
		require.ErrorContains(t, err, code+" No: not this way")
		require.Equal(t, want == fault.Denied, sms.NotTaken(err))
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	var asked []string
	url := faulttest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
		if r.Header.Get("Authorization") != "Bearer "+faulttest.Key {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		io.WriteString(w, `{"data":{}}`)
	})
	for _, profile := range []string{"", "profile"} {
		require.NoError(t, New(Config{BaseURL: url, APIKey: faulttest.Key, Profile: profile,
			HTTP: openaihttp.NewClient()}).Check(t.Context()))
	}
	faulttest.Require(t, fault.Denied, New(Config{BaseURL: url, APIKey: "wrong", HTTP: openaihttp.NewClient()}).Check(t.Context()))
	require.Equal(t, []string{"GET /v1/messaging_profiles", "GET /v1/messaging_profiles/profile", "GET /v1/messaging_profiles"},
		asked)
}
