package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apifuzz"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/voice/audio"
)

// platform is Callwright as an operator runs it: a database, an API process and workers, all real, and a customer with
// an account, an assistant on the shared number, and a server that receives its events.
type platform struct {
	*client
	admin       *client // with a live key, whatever that of client is
	t           *testing.T
	env         []string
	api         *process
	server      *eventServer
	account     string
	assistantID string
}

// startPlatform runs the operator's commands in the order of the README. test chooses the kind of key.
func startPlatform(t *testing.T, dsn string, test bool) *platform {
	t.Helper()
	return startPlatformBehind(t, dsn, dsn, test)
}

// startPlatformBehind is startPlatform with an API process that reaches the database at another URL.
func startPlatformBehind(t *testing.T, dsn, pooled string, test bool) *platform {
	t.Helper()
	p := &platform{t: t, client: &client{t: t}}
	p.env = []string{
		"DATABASE_URL=" + dsn, "CALLWRIGHT_SEAL_KEYS=" + newSealKey(), "CALLWRIGHT_OPERATOR_PASSWORD=operator-password",
		"CALLWRIGHT_FILES_DIR=" + t.TempDir(), "CALLWRIGHT_LISTEN=127.0.0.1:0", "CALLWRIGHT_ALLOW_NETWORKS=127.0.0.0/8",
		"CALLWRIGHT_LOG_LEVEL=debug", "CALLWRIGHT_MAIL=log", "CALLWRIGHT_NOTICE=0s",
	}
	p.run("migrate")
	p.account = find(t, `account\s+(\S+)`, p.run("account", "create", "owner@example.com"))
	flags := []string{"key", "create", p.account, "--requests-per-minute=1000000"}
	if test {
		flags = append(flags, "--test")
	}
	p.key = find(t, `key\s+(\S+)`, p.run(flags...))
	p.run("number", "add", "+31850000000")
	p.run("number", "owner", "+31850000000", p.account)
	p.api = start(t, append(slices.Clip(p.env), "DATABASE_URL="+pooled), "api")
	p.url = "http://" + p.api.waitFor(`"serving","address":"([^"]+)"`)
	p.admin = p.client
	if test { // whose keys set no webhook
		p.admin = &client{t: t, url: p.url, key: find(t, `key\s+(\S+)`,
			p.run("key", "create", p.account, "--requests-per-minute=1000000"))}
	}
	p.server = newEventServer(t, p.admin)
	p.assistantID = p.makeAssistant()
	return p
}

// run runs a command of the operator, which must succeed.
func (p *platform) run(args ...string) string {
	p.t.Helper()
	output, status := runOnce(p.t, p.env, args...)
	require.Zero(p.t, status, "callwright %v: %s", args, output)
	return output
}

func (p *platform) startWorker(args ...string) *process {
	p.t.Helper()
	worker := start(p.t, p.env, append([]string{"worker", "--drain=2s"}, args...)...)
	worker.waitFor(`"working"`)
	return worker
}

func (p *platform) makeAssistant() string {
	p.t.Helper()
	var assistant struct {
		ID string `json:"assistant_id"`
	}
	p.call(http.MethodPost, "/v1/assistants", demoAssistant("Receptionist"), http.StatusCreated, &assistant)
	var numbers struct {
		Data []struct{ ID string }
	}
	p.call(http.MethodGet, "/v1/phone-numbers", nil, http.StatusOK, &numbers)
	require.Len(p.t, numbers.Data, 1)
	p.call(http.MethodPost, "/v1/assistants/"+assistant.ID+"/phone-number", map[string]any{"phone_number_id": numbers.Data[0].ID},
		http.StatusOK, nil)
	return assistant.ID
}

// callRecord is a call as the API shows it.
type callRecord struct {
	CallID      string `json:"call_id"`
	Status      string `json:"call_status"`
	Explanation string
	Error       string
	EndedReason string `json:"ended_reason"`
	EndedFault  string `json:"ended_fault"`
	SIPCode     int    `json:"sip_code"`
	ContactID   string `json:"contact_id"`
	AssistantID string `json:"assistant_id"`

	StartedAt       time.Time `json:"started_at"`
	EndedAt         time.Time `json:"ended_at"`
	DurationSeconds float64   `json:"duration_seconds"`

	ContactPhoneNumber string `json:"contact_phone_number"`
	PhoneNumber        string `json:"phone_number"`
	Transcript         []struct{ Role, Text string }
	Media              struct {
		Codec           string
		Encrypted       bool
		PacketsSent     uint64 `json:"packets_sent"`
		PacketsReceived uint64 `json:"packets_received"`
	}
	Providers jsonb.Providers
	Costs     []jsonb.Cost
	Timeline  []struct{ Status, Destination string }
}

func (p *platform) direct(number string) string {
	p.t.Helper()
	var call callRecord
	p.call(http.MethodPost, "/v1/calls/direct", map[string]any{"assistant_id": p.assistantID, "contact_phone_number": number},
		http.StatusCreated, &call)
	require.Equal(p.t, "queued", call.Status)
	return call.CallID
}

func (p *platform) get(callID string) callRecord {
	p.t.Helper()
	var call callRecord
	p.call(http.MethodGet, "/v1/calls/"+callID, nil, http.StatusOK, &call)
	return call
}

// waitStatus waits until the call has one of the states.
func (p *platform) waitStatus(callID string, states ...string) callRecord {
	p.t.Helper()
	var call callRecord
	require.Eventually(p.t, func() bool {
		call = p.get(callID)
		return slices.Contains(states, call.Status)
	}, time.Minute, 20*time.Millisecond, "call never became %v", states)
	return call
}

// received is an event as it arrived.
type received struct {
	ID          string
	Traceparent string `json:"-"`

	Message struct {
		Type        string
		Sequence    int64
		CallStatus  string
		EndedReason string
		EndedFault  string
		Transcript  string
		Destination struct{ Number string }
		Artifact    struct {
			Messages                []struct{ Message string }
			RecordingURL            string
			RecordingMissingSeconds *float64
			ProviderFailures        []struct {
				jsonb.Failure
				StandInOfReport *string `json:"standIn"`
			}
		}
		Call struct{ ID, Type string }
	}
}

// eventServer is the customer's server. It verifies every signature with the public library.
type eventServer struct {
	mu       sync.Mutex
	events   map[string]received // by webhook-id: the same event may come again
	changed  chan struct{}
	invalid  []string
	url      string
	verifier *standardwebhooks.Webhook
	respond  func() int // status; nil: 204
	hold     func()     // called before anything is answered; nil: nothing
}

func newEventServer(t *testing.T, customer *client) *eventServer {
	t.Helper()
	s := &eventServer{events: map[string]received{}, changed: make(chan struct{})}
	server := httptest.NewServer(keepEvents(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.WriteHeader(s.receive(req))
	})))
	s.url = server.URL
	t.Cleanup(func() {
		server.Close()
		require.Empty(t, s.invalid)
	})
	settings := map[string]any{"url": server.URL, "enabled": true,
		"events": []string{"status-update", "transcript", "end-of-call-report"}}
	customer.call(http.MethodPut, "/v1/user/webhook", settings, http.StatusOK, nil)
	var rotated struct{ Secret string }
	customer.call(http.MethodPost, "/v1/user/webhook/rotate-secret", nil, http.StatusOK, &rotated)
	s.accept(t, rotated.Secret)
	return s
}

// accept takes events that are signed with the secret.
func (s *eventServer) accept(t *testing.T, secret string) {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	require.NoError(t, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verifier = verifier
}

// asDocumented returns what the OpenAPI document does not say of a webhook; nil: nothing.
func asDocumented(body []byte) error {
	document, err := apifuzz.Served()
	if err != nil {
		return err
	}
	return document.Delivery(body)
}

// documented is a server that fails the test when it is sent what the OpenAPI document does not say.
func documented(t *testing.T, server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // cut off on its way: it comes again
		}
		if err := asDocumented(body); err != nil {
			t.Errorf("%v: %s", err, body)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		server.ServeHTTP(w, r)
	})
}

func (s *eventServer) receive(req *http.Request) int {
	s.mu.Lock()
	verifier := s.verifier
	s.mu.Unlock()
	body, err := io.ReadAll(req.Body)
	if err == nil {
		err = verifier.Verify(body, req.Header)
	}
	s.mu.Lock()
	hold := s.hold
	s.mu.Unlock()
	if hold != nil {
		hold()
	}
	event := received{ID: req.Header.Get("webhook-id"), Traceparent: req.Header.Get("traceparent")}
	if err == nil {
		err = json.Unmarshal(body, &event)
	}
	if err == nil {
		err = asDocumented(body)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.invalid = append(s.invalid, fmt.Sprintf("%v: %s", err, body))
		return http.StatusBadRequest
	}
	if s.respond != nil {
		if status := s.respond(); status >= 300 {
			return status
		}
	}
	s.events[event.ID] = event
	close(s.changed)
	s.changed = make(chan struct{})
	return http.StatusNoContent
}

// of returns the events of a call in the order of their sequence.
func (s *eventServer) of(callID, eventType string) []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	var events []received
	for _, event := range s.events {
		if event.Message.Call.ID == callID && event.Message.Type == eventType {
			events = append(events, event)
		}
	}
	slices.SortFunc(events, func(a, b received) int { return int(a.Message.Sequence - b.Message.Sequence) })
	return events
}

// waitReport waits for the report of a call, and requires that it is the only one.
func (s *eventServer) waitReport(t *testing.T, callID string) received {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if reports := s.of(callID, "end-of-call-report"); len(reports) > 0 {
			require.Len(t, reports, 1)
			return reports[0]
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("no report of call %s", callID)
		}
	}
}

func find(t *testing.T, pattern, text string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	require.NotNil(t, found, "%q in %s", pattern, text)
	return found[1]
}

// TestMainJob is the product in one test: an operator sets it up, a customer places a direct call and a scheduled one,
// both cross SIP, and the customer's server is told everything.
func TestMainJob(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), true)
	worker := p.startWorker()

	var contact struct {
		ID string `json:"contact_id"`
	}
	p.call(http.MethodPost, "/v1/contacts", map[string]any{"phone_number": "+31612345600", "full_name": "Jan Jansen"},
		http.StatusCreated, &contact)
	var scheduled struct {
		ID        string
		Processed bool
		CallID    string `json:"call_id"`
	}
	p.call(http.MethodPost, "/v1/scheduled-calls", map[string]any{
		"assistant_id": p.assistantID, "contact_id": contact.ID, "scheduled_time": time.Now().Add(2 * time.Second),
	}, http.StatusCreated, &scheduled)
	require.False(t, scheduled.Processed)
	direct, wideband := p.direct("+31612345611"), p.direct("+31612345613")

	require.Eventually(t, func() bool {
		p.call(http.MethodGet, "/v1/scheduled-calls/"+scheduled.ID, nil, http.StatusOK, &scheduled)
		return scheduled.Processed
	}, time.Minute, 20*time.Millisecond)
	for _, id := range []string{direct, scheduled.CallID, wideband} {
		call := p.waitStatus(id, "completed", "failed")
		require.Equal(t, "completed", call.Status, "%+v", call)
		require.NotEmpty(t, call.Transcript)
		require.Equal(t, map[bool]string{false: "PCMU", true: "G722"}[id == wideband], call.Media.Codec)
		require.Positive(t, call.Media.PacketsSent)
		require.Positive(t, call.Media.PacketsReceived)
		require.Equal(t, "captions", call.Providers.Transcriber[0].Provider)
		require.Equal(t, "scripted", call.Providers.Model[0].Provider)
		require.Equal(t, "flite", call.Providers.Voice[0].Provider)
		report := p.server.waitReport(t, id)
		require.Equal(t, call.EndedReason, report.Message.EndedReason)
		var states []string
		for _, event := range p.server.of(id, "status-update") {
			states = append(states, event.Message.CallStatus)
		}
		require.Equal(t, []string{"queued", "ringing", "in-progress", "completed"}, states)
		require.Len(t, p.server.of(id, "transcript"), len(call.Transcript))
		status, recording := p.try(http.MethodGet, "/v1/calls/"+id+"/recording", nil)
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, "RIFF", string(recording[:4]))
		require.Equal(t, recording, p.linked(report.Message.Artifact.RecordingURL), "the report's link opens without a key")
	}
	_, recording := p.try(http.MethodGet, "/v1/calls/"+wideband+"/recording", nil)
	wav, err := audio.ReadWAV(bytes.NewReader(recording))
	require.NoError(t, err)
	require.Equal(t, audio.Wide.Rate(), wav.Rate)
	worker.stop()
	p.api.stop()
}
