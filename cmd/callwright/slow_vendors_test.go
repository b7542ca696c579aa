package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// asked is what a model reads.
type asked struct {
	Messages []struct{ Role, Content string }
}

// last returns the content of the last message.
func (a asked) last() string { return a.Messages[len(a.Messages)-1].Content }

// streams returns a model that answers a question about opening hours, and what follows it, by reply, and says "I see." otherwise.
func streams(reply func(r *http.Request, request asked, say func(delta string))) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		request := asked{}
		_ = json.NewDecoder(r.Body).Decode(&request)
		w.Header().Set("Content-Type", "text/event-stream")
		say := func(delta string) {
			_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":%s}]}\n\n", delta)
			w.(http.Flusher).Flush()
		}
		asks := false
		for _, message := range request.Messages {
			asks = asks || message.Role == "user" && strings.Contains(message.Content, "opening hours")
		}
		if !asks || strings.Contains(request.last(), "Thank you") {
			say(`{"content":"I see."}`)
		} else {
			reply(r, request, say)
		}
		_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

// withModels starts a worker that has two models, of which the second one stands in.
func (p *platform) withModels(first, second func(http.ResponseWriter, *http.Request)) *process {
	p.t.Helper()
	serve := func(model func(http.ResponseWriter, *http.Request)) string {
		server := httptest.NewServer(http.HandlerFunc(model))
		p.t.Cleanup(func() {
			server.CloseClientConnections()
			server.Close()
		})
		return server.URL + "/v1"
	}
	return p.startWorker("--llm-provider=openai-compatible", "--llm-base-url="+serve(first), "--llm-model=m",
		"--llm-2-provider=openai-compatible", "--llm-2-base-url="+serve(second), "--llm-2-model=m")
}

// saidOf returns the assistant's turns of a call that is over.
func (p *platform) saidOf(id string) (said []string) {
	p.t.Helper()
	call := p.waitStatus(id, "completed", "failed")
	require.Equal(p.t, "completed", call.Status, "%+v", call)
	for _, turn := range call.Transcript {
		if turn.Role == "assistant" {
			said = append(said, turn.Text)
		}
	}
	return said
}

// TestSlowVendorsAreBridged has a model that is slow, one that stalls within its reply, and tools that take long, in calls of the
// real program. What matters is in which order things happen, not when.
func TestSlowVendorsAreBridged(t *testing.T) {
	t.Parallel()
	for name, bridged := range map[string]func(p *platform){
		"Slow": (*platform).requirePatienceAsked, "Stalls": (*platform).requireGoneOn, "Tools": (*platform).requireToolsSideBySide,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bridged(startPlatform(t, dbtest.DSN(t), true))
		})
	}
}

// requirePatienceAsked has a model that has not answered when the second one is asked, whose answer is the one that is heard. Before
// it the caller is asked for patience in several ways.
func (p *platform) requirePatienceAsked() {
	p.t.Helper()
	var mu sync.Mutex
	open, both := 0, false
	worker := p.withModels(streams(func(r *http.Request, _ asked, _ func(string)) {
		mu.Lock()
		open++
		mu.Unlock()
		<-r.Context().Done()
		mu.Lock()
		open--
		mu.Unlock()
	}), streams(func(r *http.Request, _ asked, say func(string)) {
		mu.Lock()
		both = both || open > 0
		mu.Unlock()
		select {
		case <-time.After(6 * time.Second):
		case <-r.Context().Done():
		}
		say(`{"content":"From ten to two."}`)
	}))
	said := p.saidOf(p.direct("+31612345600"))
	mu.Lock()
	beside := both
	mu.Unlock()
	require.True(p.t, beside, "the second model is asked beside the first")
	require.Regexp(p.t, `(^|\|)One moment, please\.( Let me see\.)? This takes a little longer than usual\. I am still here\. From ten to two\.\|`,
		strings.Join(said, "|"))
	worker.stop()
}

// requireGoneOn has a reply stall: the other model, whichever that is, goes on with it behind the words that were heard.
func (p *platform) requireGoneOn() {
	p.t.Helper()
	var mu sync.Mutex
	var resumed asked
	stalls := streams(func(r *http.Request, request asked, say func(string)) {
		if !strings.Contains(request.last(), "Go on exactly where it stopped.") {
			say(`{"content":"We open at ten. And we "}`)
			<-r.Context().Done()
			return
		}
		mu.Lock()
		resumed = request
		mu.Unlock()
		say(`{"content":"We close at two."}`)
	})
	worker := p.withModels(stalls, stalls)
	said := p.saidOf(p.direct("+31612345600"))
	require.Contains(p.t, said, "We open at ten. We close at two.")
	mu.Lock()
	messages := resumed.Messages
	mu.Unlock()
	require.NotEmpty(p.t, messages, "%q", said)
	require.Equal(p.t, "We open at ten.", messages[len(messages)-2].Content)
	worker.stop()
}

// requireToolsSideBySide has a model ask for two tools, neither of which answers before the other one was asked.
func (p *platform) requireToolsSideBySide() {
	p.t.Helper()
	var meet sync.WaitGroup
	meet.Add(2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Message struct{ ToolCallList []struct{ ID string } }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Message.ToolCallList) == 0 {
			return
		}
		meet.Done()
		meet.Wait()
		_ = json.NewEncoder(w).Encode(map[string]any{"results": []any{map[string]any{
			"toolCallId": body.Message.ToolCallList[0].ID, "result": "done by " + r.URL.Path}}})
	}))
	p.t.Cleanup(server.Close)
	tool := func(name string) map[string]any {
		return map[string]any{"type": "function", "function": map[string]any{"name": name},
			"server": map[string]any{"url": server.URL + "/" + name, "timeoutSeconds": 20}}
	}
	p.call(http.MethodPatch, "/v1/assistants/"+p.assistantID, map[string]any{"model": map[string]any{
		"messages": []any{map[string]any{"role": "system", "content": "You answer."}}, "tools": []any{tool("hours"), tool("stock")},
	}}, http.StatusOK, nil)
	model := streams(func(_ *http.Request, request asked, say func(string)) {
		if request.Messages[len(request.Messages)-1].Role == "user" {
			say(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"hours","arguments":"{}"}},` +
				`{"index":1,"id":"b","type":"function","function":{"name":"stock","arguments":"{}"}}]}`)
			return
		}
		results, _ := json.Marshal("It was " + request.Messages[len(request.Messages)-2].Content + " and " + request.last() + ".")
		say(fmt.Sprintf(`{"content":%s}`, results))
	})
	worker := p.withModels(model, model)
	require.Contains(p.t, strings.Join(p.saidOf(p.direct("+31612345600")), " "), "It was done by /hours and done by /stock.")
	worker.stop()
}
