package twilio

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/faulttest"
	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/sms/smstest"
)

func authorized(r *http.Request) bool {
	user, password, ok := r.BasicAuth()
	return ok && user == "AC1" && password == faulttest.Key
}

func TestSender(t *testing.T) {
	t.Parallel()
	service := "MG" + strings.Repeat("0", 32)
	url := faulttest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		from := r.PostFormValue("From") + r.PostFormValue("MessagingServiceSid")
		if r.Method != http.MethodPost || r.URL.Path != "/v1/Accounts/AC1/Messages.json" || !authorized(r) ||
			from != "+31201234567" && from != service ||
			r.PostFormValue("To") != smstest.Message().To || r.PostFormValue("Body") != smstest.Message().Text {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, `{"sid":"SM1","status":"queued","error_code":null}`)
	})
	for _, from := range []string{"+31201234567", service} {
		sender := New(Config{BaseURL: url, AccountSID: "AC1", AuthToken: faulttest.Key, From: from, HTTP: openaihttp.NewClient()})
		smstest.Run(t, sender)
		id, err := sender.Send(t.Context(), smstest.Message())
		require.NoError(t, err)
		require.Equal(t, "SM1", id)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	call := func(ctx context.Context, baseURL string) error {
		_, err := New(Config{
			BaseURL: baseURL, AccountSID: "AC1", AuthToken: faulttest.Key, From: "Linden", Wait: faulttest.Wait,
			HTTP: openaihttp.NewClient(),
		}).Send(ctx, smstest.Message())
		return err
	}
	faulttest.Run(t, faulttest.Adapter{Call: call, ContentType: "application/json", Begin: `{"sid":"S`,
		Endless: strings.Repeat("x", 4096), Authorized: authorized})

	url := faulttest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w,
			`{"code":21614,"message":"'To' number is not a valid mobile number","more_info":"https://www.twilio.com/docs/errors/21614","status":400}`)
	})
	err := call(t.Context(), url)
	faulttest.Require(t, fault.Refused, err)
	require.ErrorContains(t, err, "not a valid mobile number")
}
