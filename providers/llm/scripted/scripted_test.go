package scripted_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/llm/llmtest"
	"github.com/callwright/callwright/providers/llm/scripted"
)

const practice = `You are the friendly assistant of Dental Practice Smile. Never promise a price.
The practice is at 12 Canal Street in Utrecht. We are open on Saturday from 9.30 to five.
- A check-up costs 45 euros.
when appointment, book visit: call book {"day": "saturday"}
after book: Done, {result}.
when /\bcaf[eé]\b/: There is a coffee machine.
when pain, it hurts: That sounds bad. Come in today.
When in doubt, be kind.`

func ask(t *testing.T, system string, said ...string) string {
	t.Helper()
	request := llm.Request{Messages: []llm.Message{{Role: llm.RoleSystem, Content: system}}}
	for _, text := range said {
		request.Messages = append(request.Messages, llm.Message{Role: llm.RoleUser, Content: text})
	}
	text, last, err := llmtest.Ask(t.Context(), scripted.New(), request)
	require.NoError(t, err)
	require.Equal(t, llm.FinishStop, last.Finish)
	return text
}

func TestConformance(t *testing.T) {
	t.Parallel()
	llmtest.Run(t, scripted.New(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hello"}}})
}

func TestReplies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ system, said, want string }{
		{practice, "", "Hello, how can I help you?"},
		{practice, "It hurts a lot!", "That sounds bad. Come in today."},
		{practice, "Is there a CAFÉ?", "There is a coffee machine."},
		{practice, "Do you promise a price?", "I am sorry, I do not know that."},
		{practice, "I want an appointment", "I am sorry, I do not know that."},
		{"# What are your opening hours?", "Your opening hours?", "I am sorry, I do not know that."},
		{"hello: Good day.\notherwise: Again?", "", "Good day."},
		{"hello: Good day.\notherwise: Again?", "goodbye", "Again?"},
		{"when a: call me back.", "a", "call me back."},
	} {
		require.Equal(t, c.want, ask(t, c.system, c.said), c.said)
	}
}

func TestTheLastWordCounts(t *testing.T) {
	t.Parallel()
	require.Equal(t, "There is a coffee machine.", ask(t, practice, "It hurts", "Is there a cafe"))
}

func TestToolsAreCalledWhereTheyAreOffered(t *testing.T) {
	t.Parallel()
	request := llm.Request{
		Tools: []llm.Tool{{Name: "book"}},
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: practice},
			{Role: llm.RoleUser, Content: "Can I book a visit?"},
		},
	}
	text, last, err := llmtest.Ask(t.Context(), scripted.New(), request)
	require.NoError(t, err)
	require.Empty(t, text)
	require.Equal(t, llm.FinishToolCalls, last.Finish)
	require.Equal(t, []llm.ToolCall{{ID: "call_1", Name: "book", Arguments: `{"day": "saturday"}`}}, last.ToolCalls)

	request.Messages = append(request.Messages,
		llm.Message{Role: llm.RoleAssistant, ToolCalls: last.ToolCalls},
		llm.Message{Role: llm.RoleTool, ToolCallID: "call_1", Content: "Saturday at ten"})
	text, _, err = llmtest.Ask(t.Context(), scripted.New(), request)
	require.NoError(t, err)
	require.Equal(t, "Done, Saturday at ten.", text)
}

func TestToolResultsWithoutARule(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{"At ten.": "At ten.", `{"at":10}`: "That is done.", "": "That is done."} {
		text, _, err := llmtest.Ask(t.Context(), scripted.New(), llm.Request{Messages: []llm.Message{
			{Role: llm.RoleUser, Content: "book the visit"}, {Role: llm.RoleTool, Content: content}}})
		require.NoError(t, err)
		require.Equal(t, want, text)
	}
}

// A reply does not multiply what a customer's server answers.
func TestManyResults(t *testing.T) {
	t.Parallel()
	text, _, err := llmtest.Ask(t.Context(), scripted.New(), llm.Request{Messages: []llm.Message{
		{Role: llm.RoleSystem, Content: "when book: call book\nafter book: " + strings.Repeat("{result}", 1000)},
		{Role: llm.RoleUser, Content: "book"},
		{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "book", Arguments: "{}"}}},
		{Role: llm.RoleTool, ToolCallID: "1", Content: "ten"},
	}})
	require.NoError(t, err)
	require.Equal(t, 4, strings.Count(text, "ten"))
}

func TestRulesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"a\nwhen /(/: x", "a\nwhen /x: y", "a\nwhen x: call f {]",
		"when /" + strings.Repeat("a{9}", 100) + "/: x\nwhen /" + strings.Repeat("(b?){90}", 30) + "/: x",
		"a\nwhen /" + strings.Repeat(".{0,999}", 10_000) + "/: x", // which takes a minute and a gigabyte
	} {
		_, _, err := llmtest.Ask(t.Context(), scripted.New(),
			llm.Request{Messages: []llm.Message{{Role: llm.RoleSystem, Content: system}}})
		kind, _ := fault.Of(err)
		require.Equal(t, fault.Refused, kind)
		require.ErrorContains(t, err, "line 2")
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	request := llm.Request{
		Messages: []llm.Message{{Role: llm.RoleUser, Content: "I moved <here>."}},
		Schema: json.RawMessage(`{"type":"object","properties":{"summary":{"type":"string"},"ok":{"type":"boolean"},
			"score":{"type":["integer","null"],"minimum":1},"mood":{"enum":["good","bad"]},"list":{"type":"array","items":{"type":"number"}},
			"any":{"type":"array"},"inner":{"properties":{"x":{"const":7}}},"either":{"anyOf":[{"type":"null"},{"type":"string"}]}}}`),
	}
	text, last, err := llmtest.Ask(t.Context(), scripted.New(), request)
	require.NoError(t, err)
	require.Equal(t, llm.FinishStop, last.Finish)
	require.JSONEq(t,
		`{"summary":"I moved <here>.","ok":false,"score":1,"mood":"good","list":[0],"any":[],"inner":{"x":7},"either":null}`, text)

	request.Schema = json.RawMessage(`[`)
	_, _, err = llmtest.Ask(t.Context(), scripted.New(), request)
	kind, _ := fault.Of(err)
	require.Equal(t, fault.Refused, kind)
}

func FuzzReply(f *testing.F) {
	f.Add(practice, "hello. there?")
	f.Add("when ,: x\nwhen /a/b/: c\nafter : x", "\xff.")
	f.Fuzz(func(t *testing.T, system, said string) {
		_, _, err := llmtest.Ask(t.Context(), scripted.New(), llm.Request{Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: system}, {Role: llm.RoleUser, Content: said}}})
		if err != nil {
			kind, _ := fault.Of(err)
			require.Equal(t, fault.Refused, kind)
		}
	})
}
