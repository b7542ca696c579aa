package telnyx_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/faulttest"
	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/telco"
	"github.com/callwright/callwright/providers/telco/telcotest"
	"github.com/callwright/callwright/providers/telco/telnyx"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newCarrier(t *testing.T) (*telnyx.Carrier, *server) {
	t.Helper()
	s, url := newServer(t)
	return telnyx.New(telnyx.Config{BaseURL: url, APIKey: testKey, ConnectionID: "7267", HTTP: openaihttp.NewClient()},
		telco.NewDutch()), s
}

func TestConformance(t *testing.T) {
	t.Parallel()
	carrier, s := newCarrier(t)
	telcotest.Run(t, telcotest.Subject{Carrier: carrier, Settle: s.settle})
}

func TestFaults(t *testing.T) {
	t.Parallel()
	faulttest.Run(t, faulttest.Adapter{
		Call: func(ctx context.Context, baseURL string) error {
			carrier := telnyx.New(telnyx.Config{BaseURL: baseURL, APIKey: faulttest.Key, Wait: faulttest.Wait,
				HTTP: openaihttp.NewClient()}, telco.NewDutch())
			_, err := carrier.Search(ctx, telco.Search{Country: "NL", Type: telco.Local, Limit: 1})
			return err
		},
		ContentType: "application/json", Begin: `{"data":[{"phone_number":"+31205550000","vanity_format":"`,
		Endless: "0000000000000000",
	})
}

func TestErrorsAreExplained(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status  int
		header  string
		body    string
		kind    fault.Kind
		message string
		after   time.Duration
	}{
		{422, "",
			`{"errors":[{"code":"10002","title":"Invalid phone number","detail":"no such number","source":{"pointer":"/phone_numbers/0"}}]}`, fault.Refused, "Invalid phone number: no such number", 0},
		{403, "", `{"errors":[{"code":"20100","title":"Insufficient Funds","description":"top up"}]}`, fault.Denied,
			"Insufficient Funds: top up", 0},
		{422, "", `{"errors":[{"code":"20100","title":"Insufficient Funds"}]}`, fault.Denied, "Insufficient Funds:", 0},
		{422, "", `{"errors":[{"code":"10036","title":"Being processed"}]}`, fault.Unavailable, "Being processed:", 0},
		{401, "", `{"errors":[{"code":"10009","title":"Authentication failed"}]}`, fault.Denied, "Authentication failed:", 0},
		{429, "9", `{"errors":[{"code":"10011","title":"Too many requests"}]}`, fault.Unavailable, "Too many requests:",
			9 * time.Second},
		{502, "", `<html>bad gateway</html>`, fault.Unavailable, "Bad Gateway", 0},
	} {
		url := faulttest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if test.header != "" {
				w.Header().Set("X-Ratelimit-Reset", test.header)
			}
			w.WriteHeader(test.status)
			w.Write([]byte(test.body))
		})
		carrier := telnyx.New(telnyx.Config{BaseURL: url, APIKey: testKey, HTTP: openaihttp.NewClient()}, telco.NewDutch())
		_, err := carrier.Search(t.Context(), telco.Search{Country: "NL", Type: telco.Local, Limit: 1})
		var got *fault.Error
		require.ErrorAs(t, err, &got)
		require.Equal(t, test.kind, got.Kind)
		require.Equal(t, test.message, got.Message)
		require.Equal(t, test.after, got.RetryAfter)
	}
}

// An order whose response was lost is found, not created twice.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	carrier, s := newCarrier(t)
	order := telco.Order{Reference: uuid.NewString(), PhoneNumber: telcotest.Find(t, carrier),
		Dossier: telcotest.Dossier(t, carrier, "Zaak BV")}
	s.accepted = true
	_, err := carrier.Order(t.Context(), order)
	faulttest.Require(t, fault.Unavailable, err)
	response, err := carrier.Order(t.Context(), order)
	require.NoError(t, err)
	require.Equal(t, telco.Pending, response.Status)
	require.Equal(t, 1, s.posts["/v2/number_orders"])
	require.Equal(t, "7267", s.orders[0]["connection_id"])
}

// A document that the carrier has deleted is uploaded again.
func TestDroppedDocument(t *testing.T) {
	t.Parallel()
	carrier, s := newCarrier(t)
	dossier := telcotest.Dossier(t, carrier, "Zaak BV")
	require.Len(t, s.documents, 3)
	s.mu.Lock()
	s.documents = nil
	s.mu.Unlock()
	again := telcotest.Dossier(t, carrier, "Zaak BV")
	require.NotEqual(t, dossier.CompanyRegistration, again.CompanyRegistration)
}

func TestDossierAnswersTheRequirements(t *testing.T) {
	t.Parallel()
	carrier, s := newCarrier(t)
	dossier := telcotest.Dossier(t, carrier, "Zaak BV")
	_, err := carrier.Submit(t.Context(), dossier)
	require.NoError(t, err)
	values := map[string]any{}
	for _, value := range s.groups[0]["regulatory_requirements"].([]any) {
		values[value.(object)["requirement_id"].(string)] = value.(object)["field_value"]
	}
	require.Equal(t, map[string]any{
		"r-addr": dossier.AddressID, "r-proof": dossier.ProofOfAddress, "r-kvk": dossier.CompanyRegistration,
		"r-id":   dossier.Identification,
		"r-name": "Zaak BV", "r-contact": "Jan Jansen", "r-phone": "+31612345678",
	}, values)
	dossier.Reference, dossier.ProofOfAddress = uuid.NewString(), ""
	_, err = carrier.Submit(t.Context(), dossier)
	faulttest.Require(t, fault.Denied, err)
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	webhook, err := telnyx.NewWebhook(base64.StdEncoding.EncodeToString(public), func() time.Time { return now })
	require.NoError(t, err)
	sign := func(at time.Time, body string) http.Header {
		timestamp := strconv.FormatInt(at.Unix(), 10)
		return http.Header{
			"Telnyx-Timestamp":         {timestamp},
			"Telnyx-Signature-Ed25519": {base64.StdEncoding.EncodeToString(ed25519.Sign(private, []byte(timestamp+"|"+body)))},
		}
	}
	for body, want := range map[string]telnyx.Notice{
		`{"data":{"id":"e1","event_type":"number_order.complete","payload":{"id":"o1","status":"success"}},"meta":{"attempt":1}}`: {OrderID: "o1"},
		`{"data":{"id":"e2","event_type":"requirement_group.status_updated","payload":{"id":"g1"}}}`:                              {ReviewID: "g1"},
		`{"data":{"event_type":"message.sent","payload":{"id":"m1"}}}`:                                                            {},
		`not JSON`: {},
	} {
		notice, err := webhook.Read(sign(now, body), []byte(body))
		require.NoError(t, err)
		require.Equal(t, want, notice)
	}
	other := sign(now, "other")
	for _, header := range []http.Header{{}, other, sign(now.Add(-6*time.Minute), "body"), sign(now.Add(6*time.Minute), "body"),
		{"Telnyx-Timestamp": other["Telnyx-Timestamp"], "Telnyx-Signature-Ed25519": {"!"}}} {
		_, err := webhook.Read(header, []byte("body"))
		require.ErrorIs(t, err, telnyx.ErrUnsigned)
	}
	for _, key := range []string{"", "AAAA", "!"} {
		_, err := telnyx.NewWebhook(key, time.Now)
		require.Error(t, err)
	}
}

// TestLive makes a search at the real Telnyx, which is free.
func TestLive(t *testing.T) {
	t.Parallel()
	key := os.Getenv("CALLWRIGHT_CARRIER_KEY")
	if key == "" {
		t.Skip("CALLWRIGHT_CARRIER_KEY is not set: no account at Telnyx to ask")
	}
	carrier := telnyx.New(telnyx.Config{APIKey: key, HTTP: openaihttp.NewClient()}, telco.NewDutch())
	_, err := carrier.Search(t.Context(), telco.Search{Country: "NL", Type: telco.Local, AreaCode: "20", Limit: 2})
	require.NoError(t, err)
}
