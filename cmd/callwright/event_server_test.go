package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apifuzz"
	"github.com/callwright/callwright/db/jsonb"
)

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
	deadline := time.After(patience)
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
