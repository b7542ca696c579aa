package jsonb

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func toolsOf(t *testing.T, config string) ([]Tool, map[string]string) {
	t.Helper()
	assistant, wrong := &Assistant{}, map[string]string{}
	require.NoError(t, json.Unmarshal([]byte(config), assistant))
	tools := assistant.Tools(func(path, why string) { wrong[path] = why })
	for i := range tools {
		require.NotNil(t, tools[i].Configured)
		require.NotEmpty(t, tools[i].Path)
		tools[i].Path, tools[i].Configured = "", nil
	}
	return tools, wrong
}

func TestTools(t *testing.T) {
	t.Parallel()

	schema := `{"properties":{"day":{"type":"string"}},"type":"object"}`
	book := Tool{Kind: ToolFunction, Name: "book", Description: "Books.", Parameters: json.RawMessage(schema)}
	for name, test := range map[string]struct {
		config string
		want   []Tool
	}{
		"None":        {`{}`, nil},
		"Empty":       {`{"functions": " ", "model": {"tools": []}}`, nil},
		"NoFunctions": {`{"functions": "[]"}`, nil},
		"Bare": {fmt.Sprintf(`{"functions": %q}`, `[{"name": "book", "description": "Books.", "parameters": `+schema+`}]`),
			[]Tool{book}},
		"Wrapped": {fmt.Sprintf(`{"functions": %q}`,
			`[{"type": "function", "function": {"name": "book", "description": "Books.", "parameters": `+schema+`}}]`), []Tool{book}},
		"OlderModel": {`{"model": {"functions": [{"name": "book", "description": "Books.", "parameters": ` + schema + `}]}}`,
			[]Tool{book}},
		"NoParameters": {`{"functions": "[{\"name\": \"now\"}]"}`,
			[]Tool{{Kind: ToolFunction, Name: "now", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}}},
		"UntypedParameters": {`{"functions": "[{\"name\": \"now\", \"parameters\": {\"required\": []}}]"}`, []Tool{
			{Kind: ToolFunction, Name: "now", Parameters: json.RawMessage(`{"required":[],"type":"object"}`)},
		}},
		"OfTheModel": {`{"model": {"tools": [{"type": "function", "async": true, "function": {"name": "book", "description": "Books.", "parameters": ` + schema + `},
			"server": {"url": "https://example.com/book", "timeoutSeconds": 5, "headers": {"X-Key": "1"}}, "messages": [
				{"type": "request-start", "content": "Let me see."}, {"type": "request-response-delayed", "content": "Still looking.", "timingMilliseconds": 2000},
				{"type": "request-response-delayed", "content": "Still."}, {"type": "request-complete", "content": "Booked.", "endCallAfterSpokenEnabled": true},
				{"type": "request-failed", "content": "Say sorry.", "role": "system"}, {"type": "request-start", "content": "Never.", "conditions": [{}]}]}]}}`, []Tool{{
			Kind: ToolFunction, Name: "book", Description: "Books.", Parameters: json.RawMessage(schema), Async: true,
			Server: &ToolServer{URL: "https://example.com/book", Headers: map[string]string{"X-Key": "1"}, Timeout: 5 * time.Second},
			Messages: []ToolMessage{
				{When: ToolStart, Content: "Let me see.", After: defaultToolDelay},
				{When: ToolDelayed, Content: "Still looking.", After: 2 * time.Second},
				{When: ToolDelayed, Content: "Still.", After: defaultToolDelay},
				{When: ToolComplete, Content: "Booked.", After: defaultToolDelay, EndCall: true},
				{When: ToolFailed, Content: "Say sorry.", After: defaultToolDelay, Hint: true},
			},
		}}},
		"Abilities": {`{"model": {"tools": [{"type": "endCall"}, {"type": "dtmf"}, {"type": "query"}, {"type": "apiRequest", "name": 7}, {"type": "transferCall", "destinations": [
			{"type": "number", "number": "+31 20 123 4567", "description": "Bills.", "message": "One moment."}, {"type": "sip", "sip_uri": "sip:jan@example.com", "name": "Jan"}]}]}}`, []Tool{
			{Kind: ToolEndCall}, {Kind: ToolDigits}, {Kind: ToolKnowledge}, {Kind: ToolTransfer, Destinations: []ToolDestination{
				{Name: "+31201234567", Description: "Bills.", Target: "+31201234567", Message: "One moment."},
				{Name: "Jan", Target: "sip:jan@example.com"},
			}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools, wrong := toolsOf(t, test.config)
			require.Empty(t, wrong)
			require.Equal(t, test.want, tools)
		})
	}
}

// What is wrong is named, and left out.
func TestWrongTools(t *testing.T) {
	t.Parallel()

	functions := func(text string) string { return fmt.Sprintf(`{"functions": %q}`, text) }
	for name, test := range map[string]struct {
		config string
		wrong  []string
	}{
		"NoJSON":     {functions(`no json`), []string{"functions"}},
		"NoList":     {functions(`{"name": "book"}`), []string{"functions"}},
		"HugeNumber": {functions(`[{"name": "book", "parameters": {"a": 1e999}}]`), []string{"functions"}},
		"NUL":        {functions(`[{"name": "book", "description": "\u0000"}]`), []string{"functions"}},
		"NoObject":   {functions(`[7]`), []string{"functions[0]"}},
		"NoName": {functions(`[{"description": "Books."}, {"name": "a b"}, {"type": "function", "function": {"name": 7}}]`),
			[]string{"functions[0].name", "functions[1].name", "functions[2].function.name"}},
		"TwoNames": {`{"functions": "[{\"name\": \"book\"}]", "model": {"tools": [{"type": "function", "function": {"name": "book"}}]}}`, []string{"model.tools[0].function.name"}},
		"NoSchema": {functions(`[{"name": "a", "parameters": []}, {"name": "b", "parameters": {"type": "string"}}]`),
			[]string{"functions[0].parameters", "functions[1].parameters"}},
		"LongDescription": {functions(`[{"name": "a", "description": "` + strings.Repeat("ä", maxToolDescription+1) + `"}]`),
			[]string{"functions[0].description"}},
		"NoType":  {`{"model": {"tools": [{"type": 7}]}}`, []string{"model.tools[0].type"}},
		"NoTools": {`{"model": {"tools": {}}}`, []string{"model.tools"}},
		"Server": {`{"model": {"tools": [{"name": "a", "server": {"url": "ftp://x", "timeoutSeconds": 21, "headers": {"a b": "c"}, "secret": "s"}}, {"name": "b", "server": 1}]}}`, []string{
			"model.tools[0].server.url", "model.tools[0].server.timeoutSeconds", "model.tools[0].server.headers",
			"model.tools[0].server.secret", "model.tools[1].server",
		}},
		"Messages": {`{"model": {"tools": [{"name": "a", "async": 1, "messages": [{"type": "x"}, {"type": "request-start", "content": 1, "timingMilliseconds": 1}, 7]}]}}`, []string{
			"model.tools[0].async", "model.tools[0].messages[0].type", "model.tools[0].messages[1].content",
			"model.tools[0].messages[1].timingMilliseconds", "model.tools[0].messages[2]",
		}},
		"Destinations": {`{"model": {"tools": [{"type": "transferCall"}, {"type": "transferCall", "destinations": [{"number": "112x"}, {"sipUri": "sip:a@b>\r\nX: y"}, {"type": "assistant"}, 1]}]}}`, []string{
			"model.tools[0].destinations", "model.tools[1].destinations[0].number", "model.tools[1].destinations[1].sipUri",
			"model.tools[1].destinations[2]", "model.tools[1].destinations[3]",
		}},
		"TooMany": {functions(`[` + strings.Repeat(`{"type": "endCall"},`, maxTools) + `{"type": "endCall"}]`),
			[]string{"functions[64]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools, wrong := toolsOf(t, test.config)
			var paths []string
			for path := range wrong {
				paths = append(paths, path)
			}
			require.ElementsMatch(t, test.wrong, paths, "%v", wrong)
			if name != "TooMany" && name != "TwoNames" {
				require.Empty(t, tools)
			}
		})
	}
}

func TestTransferPlans(t *testing.T) {
	t.Parallel()

	planOf := func(plan string) (*TransferPlan, map[string]string) {
		tools, wrong := toolsOf(t,
			`{"model": {"tools": [{"type": "transferCall", "destinations": [{"number": "+31201234567", "transferPlan": `+plan+`}]}]}}`)
		if len(tools) == 0 {
			return nil, wrong
		}
		return tools[0].Destinations[0].Plan, wrong
	}
	for plan, want := range map[string]*TransferPlan{
		`null`: nil,
		`{}`:   {Mode: "blind-transfer"},
		`{"mode": "warm-transfer-say-message", "message": "A caller.", "dialTimeout": 20, "holdAudioUrl": "https://example.com/a.wav",
			"fallbackPlan": {"message": "Nobody is there."}}`: {
			Mode: "warm-transfer-say-message", Message: "A caller.", RingFor: 20 * time.Second, HoldAudio: "https://example.com/a.wav",
			Fallback: "Nobody is there.", EndFallback: true,
		},
		`{"mode": "blind-transfer", "sip_verb": "dial", "fallback_plan": {"end_call_enabled": false}}`: {Mode: "blind-transfer",
			Verb: "dial"},
		`{"mode": "warm-transfer-experimental", "summaryPlan": {"enabled": true, "timeoutSeconds": 9, "messages": [{"role": "system", "content": "Short."}, {"role": "user", "content": "x"}]},
			"transferAssistant": {"firstMessage": "Hi.", "maxDurationSeconds": 60, "model": {"provider": "openai", "messages": [{"role": "system", "content": "Be kind."}]}}}`: {
			Mode: "warm-transfer-experimental", SummaryPrompt: "Short.", SummaryTimeout: 9 * time.Second, Greeting: "Hi.",
			Instructions: "Be kind.", TalkFor: time.Minute,
		},
	} {
		got, wrong := planOf(plan)
		require.Empty(t, wrong, plan)
		require.Equal(t, want, got, plan)
	}
	for plan, want := range map[string]string{
		`[]`:                                          "transferPlan is not an object",
		`{"mode": "warm-transfer-twiml"}`:             "transferPlan.mode is not one of",
		`{"twiml": "<Dial/>"}`:                        "transferPlan.twiml is not known; there are mode, message,",
		`{"sipVerb": "bye"}`:                          "transferPlan.sipVerb is not refer or dial",
		`{"dialTimeout": 0}`:                          "transferPlan.dialTimeout is not a number from 1 to 600",
		`{"holdAudioUrl": "ftp://example.com"}`:       "transferPlan.holdAudioUrl is not an absolute",
		`{"fallbackPlan": {"endCall": true}}`:         "transferPlan.fallbackPlan.endCall is not known",
		`{"summaryPlan": {"messages": {}}}`:           "transferPlan.summaryPlan.messages is not an array",
		`{"transferAssistant": {"firstMessage": ""}}`: "transferPlan.transferAssistant belongs to the mode warm-transfer-experimental",
	} {
		got, wrong := planOf(plan)
		require.Nil(t, got, plan)
		require.Contains(t, fmt.Sprint(wrong), strings.Replace(want, " ", ":", 1), plan)
	}
}
