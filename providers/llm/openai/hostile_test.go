package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/faulttest"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/llm/llmtest"
	"github.com/callwright/callwright/providers/llm/openai"
	"github.com/callwright/callwright/providers/openaihttp"
)

// patient is answering with time for a server that sends much.
func patient(t *testing.T, lines ...string) *openai.Provider {
	t.Helper()
	client := openaihttp.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	url := faulttest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, strings.Join(lines, "\n\n")+"\n\n") // whoever has read enough leaves
	})
	return openai.New(openai.Config{BaseURL: url, APIKey: faulttest.Key, Model: "m", FirstToken: time.Minute, Idle: time.Minute,
		HTTP: client})
}

// TestServersThatAreHostile has servers, which customers name, answer with what would cost the process that asks them dear.
func TestServersThatAreHostile(t *testing.T) {
	t.Parallel()
	storm := func(of string) (lines []string) {
		for line := range 8 {
			var calls []string
			for i := range 2000 {
				calls = append(calls, fmt.Sprintf(of, line*2000+i))
			}
			lines = append(lines, `data: {"choices":[{"delta":{"tool_calls":[`+strings.Join(calls, ",")+`]}}]}`)
		}
		return append(lines, "data: [DONE]")
	}
	deep := strings.Repeat(`{"a":`, 100_000)
	for name, lines := range map[string][]string{
		"CallsOfManyIndexes": storm(`{"index":%d,"function":{"name":"f"}}`),
		"CallsOfManyIDs":     storm(`{"index":0,"id":"c%d","function":{"name":"f"}}`),
		"EndlessArguments":   storm(`{"index":0,"function":{"name":"f","arguments":"` + strings.Repeat("a", 100) + `%d"}}`),
		"NegativeIndexes":    storm(`{"index":-1%d,"function":{"name":"f"}}`),
		"Deep":               {"data: " + deep},
		"NotANumber":         {`data: {"usage":{"prompt_tokens":NaN}}`},
		"HugeNumber":         {`data: {"usage":{"prompt_tokens":1e400}}`},
		"Fraction":           {`data: {"usage":{"prompt_tokens":0.5}}`},
		"OtherTypes":         {`data: {"choices":{"delta":"x"}}`},
		"NoNewline":          {"data: " + strings.Repeat("x", 2<<20)},
		"Binary":             {"data: \x00\xff\xfe"},
	} {
		_, _, err := llmtest.Ask(t.Context(), patient(t, lines...), question())
		kind, is := fault.Of(err)
		require.True(t, is, "%s: %v", name, err)
		require.Equal(t, fault.Unavailable, kind, "%s: %v", name, err)
	}
}

func TestUsageThatNobodyUsed(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]llm.Usage{
		`{"prompt_tokens":-5,"completion_tokens":-9223372036854775808}`:                 {},
		`{"prompt_tokens":9223372036854775807,"completion_tokens":9223372036854775807}`: {Prompt: 100_000_000, Completion: 100_000_000},
		`{"prompt_tokens":10,"prompt_tokens_details":{"cached_tokens":-4},"completion_tokens":2}`: {Prompt: 10,
			Completion: 2},
		`{"prompt_tokens":10,"prompt_tokens_details":{"cached_tokens":9223372036854775807},"completion_tokens":2}`: {Prompt: 10,
			Completion: 2, Cached: 10},
	} {
		var used llm.Usage
		for delta, err := range patient(t, strings.TrimSpace(word), `data: {"usage":`+said+`}`, "data: [DONE]").Stream(t.Context(),
			question()) {
			require.NoError(t, err)
			if delta.Usage != (llm.Usage{}) {
				used = delta.Usage
			}
		}
		require.Equal(t, want, used, said)
	}
}
