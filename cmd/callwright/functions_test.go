package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// functionServer runs functions as servers of this field do: it answers each call of the list.
type functionServer struct {
	mu    sync.Mutex
	calls []string
}

func (s *functionServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Message struct {
			Type         string
			ToolCallList []struct {
				ID       string
				Function struct{ Name, Arguments string }
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Message.Type != "tool-calls" {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	results := []map[string]any{}
	for _, call := range body.Message.ToolCallList {
		s.calls = append(s.calls, call.Function.Name+call.Function.Arguments)
		results = append(results, map[string]any{"toolCallId": call.ID, "result": "On Saturday we are open from ten to two."})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"results": results}) // a worker that is gone hears nothing
}

// TestFunctionsInACall has a model that calls a function of the customer's server, one whose server is broken, and the
// tool that ends the call; and beside it a call that is to be transferred, where it is busy.
func TestFunctionsInACall(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), true)
	server := &functionServer{}
	working := httptest.NewServer(keepEvents(t, documented(t, server)))
	broken := httptest.NewServer(documented(t, http.NotFoundHandler()))
	t.Cleanup(working.Close)
	t.Cleanup(broken.Close)
	p.call(http.MethodPatch, "/v1/assistants/"+p.assistantID, map[string]any{
		"functions": `[{"name": "opening_hours", "parameters": {"type": "object", "properties": {"day": {"type": "string"}}}}]`,
		"server":    map[string]any{"url": working.URL}, "end_call_function_enabled": true,
		"model": map[string]any{
			"provider": "scripted", "messages": []any{map[string]any{"role": "system", "content": `when moment: call weather {}
after weather: I cannot tell. {result}
when opening hours: call opening_hours {"day": "saturday"}
after opening_hours: {result}
when thank you: call end_call {}`}},
			"tools": []any{map[string]any{
				"type": "function", "function": map[string]any{"name": "weather"},
				"server":   map[string]any{"url": broken.URL, "timeoutSeconds": 5},
				"messages": []any{map[string]any{"type": "request-start", "content": "Let me look outside, {{contact_name}}."}},
			}},
		},
	}, http.StatusOK, nil)
	worker := p.startWorker()
	id := p.direct("+31612345611")
	p.waitStatus(id, "in-progress") // from then on a change of the assistant is for others
	p.call(http.MethodPatch, "/v1/assistants/"+p.assistantID, map[string]any{
		"call_transfers": []any{map[string]any{"name": "Reception", "phone_number": "+31 20 123 4501"}},
		"server":         map[string]any{"url": working.URL, "events": []string{"transfer-update"}},
		"model": map[string]any{"messages": []any{map[string]any{"role": "system",
			"content": `when moment: call transfer {"destination": "+31900123456"}
after transfer: {result}
when opening hours: call transfer {"destination": "reception"}
when thank you: call end_call {}`}}},
	}, http.StatusOK, nil)
	moved := p.direct("+31612345614")
	call := p.waitStatus(id, "completed", "failed")
	require.Equal(t, "assistant-ended-call", call.EndedReason, "%+v", call)
	said := fmt.Sprint(texts(call))
	require.Contains(t, said, "Let me look outside, .")
	require.Contains(t, said, "I cannot tell. The function failed: the server answered 404.")
	require.Contains(t, said, "On Saturday we are open from ten to two.")
	require.Equal(t, []string{`opening_hours{"day":"saturday"}`}, server.calls)

	var shown struct {
		ToolCalls []struct {
			Name, Result, Error string
			Arguments           map[string]any
			Seconds             float64 `json:"seconds_from_start"`
		} `json:"tool_calls"`
	}
	p.call(http.MethodGet, "/v1/calls/"+id, nil, http.StatusOK, &shown)
	require.Len(t, shown.ToolCalls, 3, "%+v", shown)
	require.Equal(t, "weather", shown.ToolCalls[0].Name)
	require.Equal(t, "the server answered 404", shown.ToolCalls[0].Error)
	require.Equal(t, map[string]any{"day": "saturday"}, shown.ToolCalls[1].Arguments)
	require.Equal(t, "On Saturday we are open from ten to two.", shown.ToolCalls[1].Result)
	require.Equal(t, "end_call", shown.ToolCalls[2].Name)
	require.Greater(t, shown.ToolCalls[1].Seconds, shown.ToolCalls[0].Seconds)

	var events struct {
		Data []struct {
			ID       string
			Delivery string
			Attempts int
		}
	}
	require.Eventually(t, func() bool {
		p.call(http.MethodGet, "/v1/events?type=tool-calls&call_id="+id, nil, http.StatusOK, &events)
		return len(events.Data) == 2
	}, 10*time.Second, 20*time.Millisecond)
	require.Equal(t, "dead", events.Data[0].Delivery)
	require.Equal(t, "delivered", events.Data[1].Delivery)
	status, _ := p.admin.try(http.MethodPost, "/v1/events/"+events.Data[1].ID+"/redeliver", nil)
	require.Equal(t, http.StatusNotFound, status, "it would run twice")

	p.requireTransferFailed(moved)
	worker.stop()
}

// requireTransferFailed follows a call that was to go elsewhere: only where the assistant may send it, and back.
func (p *platform) requireTransferFailed(callID string) {
	p.t.Helper()
	call := p.waitStatus(callID, "completed", "failed")
	said := fmt.Sprint(texts(call))
	require.Contains(p.t, said, "There is no such destination. There are: Reception.")
	require.Contains(p.t, said, "One moment, I will put you through.")
	require.Contains(p.t, said, "Sorry, I could not put you through.")
	require.Equal(p.t, []string{"queued", "dialing", "ringing", "in-progress", "forwarding", "in-progress", "completed"},
		states(call))
	require.Eventually(p.t, func() bool { return len(p.transferUpdates(callID)) == 2 }, 10*time.Second, 20*time.Millisecond)
	require.Equal(p.t, []string{"started +31201234501", "failed +31201234501"}, p.transferUpdates(callID))
}
