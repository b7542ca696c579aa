package callwright

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The requests of ../testdata/webhooks.json, which all SDKs share.
func TestVerifyWebhook(t *testing.T) {
	t.Parallel()
	var cases []struct {
		Name    string
		Now     int64
		Secrets []string
		Headers map[string]string
		Payload string
		Error   string
		Type    string
	}
	text, err := os.ReadFile("../testdata/webhooks.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &cases))
	for _, test := range cases {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			for name, value := range test.Headers {
				header.Set(name, value)
			}
			message, err := verifyWebhook(time.Unix(test.Now, 0), []byte(test.Payload), header, test.Secrets)
			if test.Error == "" {
				require.NoError(t, err)
				require.Equal(t, test.Type, message.(*UnknownMessage).Type)
			} else {
				require.ErrorIs(t, err, ErrWebhook)
				require.ErrorContains(t, err, test.Error)
			}
		})
	}
	header := http.Header{"Webhook-Id": {"1"}, "Webhook-Timestamp": {"1764583260"}, "Webhook-Signature": {"v1,"}}
	_, err = VerifyWebhook([]byte("{}"), header, "secret")
	require.ErrorContains(t, err, "five minutes", "the clock is that of the machine")
}
