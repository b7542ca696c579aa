package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/faulttest"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/llm/llmtest"
	"github.com/callwright/callwright/providers/llm/openai"
	"github.com/callwright/callwright/providers/openaihttp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const word = `data: {"choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}` + "\n\n"

func question() llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hello"}}}
}

func provider(t *testing.T, baseURL string) *openai.Provider {
	t.Helper()
	client := openaihttp.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	return openai.New(openai.Config{BaseURL: baseURL, APIKey: faulttest.Key, Model: "m",
		FirstToken: faulttest.Wait, Idle: faulttest.Wait, HTTP: client})
}

func answering(t *testing.T, lines ...string) *openai.Provider {
	t.Helper()
	return provider(t, faulttest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, line := range lines {
			fmt.Fprintf(w, "%s\n\n", line)
			w.(http.Flusher).Flush()
		}
	}))
}

func TestConformance(t *testing.T) {
	t.Parallel()
	llmtest.Run(t, answering(t, strings.TrimSpace(word), strings.TrimSpace(word), "data: [DONE]"), question())
}

func TestFaults(t *testing.T) {
	t.Parallel()
	faulttest.Run(t, faulttest.Adapter{
		Call: func(ctx context.Context, baseURL string) error {
			_, _, err := llmtest.Ask(ctx, provider(t, baseURL), question())
			return err
		},
		ContentType: "text/event-stream", Begin: word, Endless: strings.Repeat(word, 100),
	})
}

func TestRequestAsItIsWritten(t *testing.T) {
	t.Parallel()
	var path, body string
	p := provider(t, faulttest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		path, body = r.URL.Path, string(raw)
		io.WriteString(w, "data: [DONE]\n\n")
	}))
	_, _, err := llmtest.Ask(t.Context(), p, llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "be kind"},
			{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "c1", Name: "f", Arguments: `{"a":1}`}}},
			{Role: llm.RoleTool, ToolCallID: "c1", Content: "done"},
			{Role: llm.RoleUser},
		},
		Tools:       []llm.Tool{{Name: "f", Description: "d"}, {Name: "g", Parameters: json.RawMessage(`{"x":1}`)}},
		Temperature: new(0.0), MaxTokens: 50, Schema: json.RawMessage(`{"type":"object"}`),
	})
	require.NoError(t, err)
	require.Equal(t, "/v1/chat/completions", path)
	require.JSONEq(t, `{"model":"m","stream":true,"temperature":0,"max_tokens":50,
		"messages":[
			{"role":"system","content":"be kind"},
			{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},
			{"role":"tool","content":"done","tool_call_id":"c1"},
			{"role":"user","content":""}],
		"tools":[
			{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{}}}},
			{"type":"function","function":{"name":"g","parameters":{"x":1}}}],
		"response_format":{"type":"json_schema","json_schema":{"name":"reply","schema":{"type":"object"}}}}`, body)
}

func TestOpenAIsOwnServerGetsItsOwnNames(t *testing.T) {
	t.Parallel()
	var body []byte
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		body, _ = io.ReadAll(r.Body)
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("data: [DONE]\n\n"))}, nil
	})}
	request := question()
	request.Model, request.MaxTokens = "named", 9
	_, _, err := llmtest.Ask(t.Context(), openai.New(openai.Config{HTTP: client}), request)
	require.NoError(t, err)
	require.Contains(t, string(body), `"max_completion_tokens":9`)
	require.NotContains(t, string(body), `"max_tokens"`)
	require.Contains(t, string(body), `"model":"named"`)
	require.Contains(t, string(body), `"stream_options":{"include_usage":true}`)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestReplies(t *testing.T) {
	t.Parallel()
	const stop = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}`
	for name, c := range map[string]struct {
		lines []string
		text  string
		last  llm.Delta
	}{
		"usage and comments": {[]string{": ping", word, stop,
			`data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`, "data: [DONE]"},
			"word ", llm.Delta{Finish: "stop", Usage: llm.Usage{Prompt: 9, Completion: 2}}},
		"no done at the end": {[]string{word, stop}, "word ", llm.Delta{Finish: "stop"}},
		"no reason":          {[]string{word, "data: [DONE]"}, "word ", llm.Delta{Finish: "stop"}},
		"thoughts stay unspoken": {[]string{`data:{"choices":[{"delta":{"reasoning_content":"hm","reasoning":"hm"}}]}`, word, stop},
			"word ", llm.Delta{Finish: "stop"}},
		"length": {[]string{`data: {"choices":[{"delta":{"content":"a"},"finish_reason":"length"}]}`, "data: [DONE]"},
			"a", llm.Delta{Finish: "length"}},
		"refusal": {[]string{`data: {"choices":[{"delta":{"content":null,"refusal":"no"}}]}`, stop}, "no", llm.Delta{Finish: "stop"}},
		"a tool call in fragments": {[]string{
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}}]}`,
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\""}}]}}]}`,
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}`,
			`data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`, "data: [DONE]"},
			"", llm.Delta{Finish: "tool_calls", ToolCalls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"x":1}`}}}},
		"two whole calls of one index, and stop": {[]string{
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}`,
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"g"}}]}}]}`, stop},
			"", llm.Delta{Finish: "tool_calls", ToolCalls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: "{}"},
				{ID: "b", Name: "g", Arguments: "{}"}}}},
		"interleaved, without an index": {[]string{
			`data: {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}}]}}]}`,
			`data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"}"}}]}}]}`, stop},
			"", llm.Delta{Finish: "tool_calls", ToolCalls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}}},
		"a call that was cut off": {[]string{
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]},"finish_reason":"length"}]}`},
			"", llm.Delta{Finish: "length"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, last, err := llmtest.Ask(t.Context(), answering(t, c.lines...), question())
			require.NoError(t, err)
			require.Equal(t, c.text, text)
			require.Equal(t, c.last, last)
		})
	}
}

func TestACallWithoutAnIDGetsOne(t *testing.T) {
	t.Parallel()
	_, last, err := llmtest.Ask(t.Context(), answering(t,
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f"}}]}}]}`, "data: [DONE]"), question())
	require.NoError(t, err)
	require.NotEmpty(t, last.ToolCalls[0].ID)
}

func TestErrorsInTheStream(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"error event":     `data: {"error":{"message":"out of memory"}}`,
		"not JSON":        `data: {]`,
		"nameless call":   `data: {"choices":[{"delta":{"tool_calls":[{"index":0}]},"finish_reason":"stop"}]}`,
		"a very long one": "data: " + strings.Repeat("x", 2<<20),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, _, err := llmtest.Ask(t.Context(), answering(t, word, line), question())
			faulttest.Require(t, fault.Unavailable, err)
			require.Equal(t, "word ", text)
		})
	}
}

func TestSomebodySpokeFirst(t *testing.T) {
	t.Parallel()
	var asked struct {
		Messages []struct{ Role, Content string }
	}
	p := provider(t, faulttest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		json.NewDecoder(r.Body).Decode(&asked)
		io.WriteString(w, "data: [DONE]\n\n")
	}))
	_, _, err := llmtest.Ask(t.Context(), p, llm.Request{Messages: []llm.Message{{Role: llm.RoleSystem, Content: "be kind"}}})
	require.NoError(t, err)
	require.Equal(t, []struct{ Role, Content string }{{"system", "be kind"}, {"user", "Begin."}}, asked.Messages)
}

func TestThoughtsAreNotSaid(t *testing.T) {
	t.Parallel()
	say := func(text string) string {
		return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"content":%q}}]}`, text)
	}
	for want, pieces := range map[string][]string{" Yes.": {"<thi", "nk>No?</th", "ink> Yes."}, "<thi": {"<thi"}} {
		lines := []string{}
		for _, piece := range pieces {
			lines = append(lines, say(piece))
		}
		text, last, err := llmtest.Ask(t.Context(), answering(t, append(lines, "data: [DONE]")...), question())
		require.NoError(t, err)
		require.Equal(t, want, text)
		require.Equal(t, llm.FinishStop, last.Finish)
	}
}

func TestARequestMayBeLessPatient(t *testing.T) {
	t.Parallel()
	client := openaihttp.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	p := openai.New(openai.Config{BaseURL: faulttest.Serve(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // else its end is not noticed
		<-r.Context().Done()
	}), HTTP: client, FirstToken: time.Hour})
	asked := question()
	asked.FirstToken = 10 * time.Millisecond
	_, _, err := llmtest.Ask(t.Context(), p, asked)
	kind, _ := fault.Of(err)
	require.Equal(t, fault.Timeout, kind)
}

// A slow reader does not use up the server's time.
func TestABusyListener(t *testing.T) {
	t.Parallel()
	p := answering(t, word, word, "data: [DONE]")
	first := true
	for _, err := range p.Stream(t.Context(), question()) {
		require.NoError(t, err)
		if first {
			first = false
			time.Sleep(faulttest.Wait + 100*time.Millisecond) // what is measured: a wall clock runs out
		}
	}
}

func TestTheConnectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	peers := map[string]bool{}
	p := provider(t, faulttest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		peers[r.RemoteAddr] = true
		io.WriteString(w, word+"data: [DONE]\n\n")
	}))
	for range 3 {
		_, _, err := llmtest.Ask(t.Context(), p, question())
		require.NoError(t, err)
	}
	require.Len(t, peers, 1)
}
