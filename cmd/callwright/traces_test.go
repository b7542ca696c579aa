package main

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector takes spans over OTLP, as an operator's does.
type collector struct {
	url string

	mu     sync.Mutex
	traces map[string]map[string]collected // by ids of traces and spans
}

type collected struct{ name, service, parent string }

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{traces: map[string]map[string]collected{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var request collectortrace.ExportTraceServiceRequest
		if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &request) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.take(&request)
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

func (c *collector) take(request *collectortrace.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range request.GetResourceSpans() {
		service := ""
		for _, attribute := range resource.GetResource().GetAttributes() {
			if attribute.GetKey() == "service.name" {
				service = attribute.GetValue().GetStringValue()
			}
		}
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				id := hex.EncodeToString(span.GetTraceId())
				if c.traces[id] == nil {
					c.traces[id] = map[string]collected{}
				}
				c.traces[id][hex.EncodeToString(span.GetSpanId())] = collected{span.GetName(), service,
					hex.EncodeToString(span.GetParentSpanId())}
			}
		}
	}
}

// traceOf returns the id of the trace that a request began, and how many spans of each name it has; complete: each but the
// request's own stands below another.
func (c *collector) traceOf(request string) (id string, names map[string]int, complete bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, spans := range c.traces {
		names, roots, orphans := map[string]int{}, 0, 0
		for _, span := range spans {
			names[span.service+" "+span.name]++
			if span.parent == "" {
				roots++
			} else if _, known := spans[span.parent]; !known {
				orphans++
			}
		}
		if names[request] > 0 {
			return id, names, roots == 1 && orphans == 0
		}
	}
	return "", nil, false
}

// requireTrace requires that the direct call is one trace from its request to the deliveries of its events, which the customer's
// server and the log know by its id.
func (c *collector) requireTrace(t *testing.T, p *platform, worker *process, callID string) {
	t.Helper()
	const request = "callwright-api POST /v1/calls/direct"
	var id string
	var names map[string]int
	require.Eventually(t, func() bool {
		var complete bool
		if id, names, complete = c.traceOf(request); !complete {
			return false
		}
		for _, name := range []string{
			"place_call", "invite", "talk", "turn", "question", "model scripted", "voice flite", "transcriber captions", "finish_call",
			"deliver_event",
		} {
			if names["callwright-worker "+name] == 0 {
				return false
			}
		}
		return names["callwright-api CallInsertDirectMany"] > 0 && names["callwright-worker CallEndMany"] > 0
	}, time.Minute, 50*time.Millisecond, "trace %s has %v", id, names)
	require.Equal(t, 1, names[request])
	require.Equal(t, 1, names["callwright-worker place_call"])
	p.server.waitReport(t, callID)
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	asked := map[string]bool{}
	for _, event := range p.server.events {
		require.Regexp(t, "^00-"+id+"-[0-9a-f]{16}-01$", event.Traceparent, event.Message.Type)
		asked[event.Message.Type] = true
	}
	for _, wanted := range []string{"status-update", "tool-calls", "call.endpointing.request", "end-of-call-report"} {
		require.True(t, asked[wanted], wanted)
	}
	worker.waitFor(`"msg":"call",[^\n]*"call_id":"` + callID + `","account_id":"` + p.account + `"[^\n]*"trace_id":"` + id + `"`)
}

// requireTraceOfItsOwn requires that a call which no request made is a trace whose id is the call's, to the deliveries of its
// events.
func (p *platform) requireTraceOfItsOwn() {
	p.t.Helper()
	var person struct {
		ContactID string `json:"contact_id"`
	}
	p.call(http.MethodPost, "/v1/contacts", object{"phone_number": "+31612345601"}, http.StatusCreated, &person)
	body := p.callLater(person.ContactID)
	body["scheduled_time"] = time.Now().Add(3 * time.Second)
	var scheduled struct {
		ID     string
		CallID string `json:"call_id"`
	}
	p.call(http.MethodPost, "/v1/scheduled-calls", body, http.StatusCreated, &scheduled)
	require.Eventually(p.t, func() bool {
		p.call(http.MethodGet, "/v1/scheduled-calls/"+scheduled.ID, nil, http.StatusOK, &scheduled)
		return scheduled.CallID != ""
	}, time.Minute, 20*time.Millisecond)
	p.server.waitReport(p.t, scheduled.CallID)
	for _, event := range append(p.server.of(scheduled.CallID, "status-update"),
		p.server.of(scheduled.CallID, "end-of-call-report")...) {
		require.Regexp(p.t, "^00-"+strings.ReplaceAll(scheduled.CallID, "-", "")+"-[0-9a-f]{16}-01$", event.Traceparent,
			event.Message.Type)
	}
}
