// Package scripted is the language model that needs no key, no server and no luck: it
// follows rules that stand in the system message, and without rules it answers from the
// facts that stand there. The same conversation always gets the same reply.
//
// A rule is a line of a system message:
//
//	when opening hours, open on: We are open from nine to five.
//	when /\b(20|twenty)\s*percent\b/: That discount ended yesterday.
//	when appointment: call book_appointment {"day": "saturday"}
//	after book_appointment: It is booked: {result}.
//	hello: Good afternoon, this is the dental practice.
//	otherwise: I did not get that. Could you say it again?
//
// "when" holds when the caller's last message contains all words of one of the parts
// between the commas, in any order, or matches the regular expression between slashes;
// case and accents do not count. The first rule that holds wins. "call" asks for a tool,
// where the request offers it, with the JSON object behind its name. "after" replies to
// what that tool answered, which {result} stands for. "hello" replies when the caller has
// said nothing yet; "otherwise" replies when nothing else holds.
//
// Without a rule that holds it greets, takes leave when the caller does, goes on when the
// caller agrees, or says the sentence of the system messages that shares most words with
// what the caller said, or follows a question that does. It
// speaks Dutch where the conversation does, else English. A request with a Schema gets
// the plainest JSON that follows it, with the caller's own words for text.
//
// It knows words. It must not be mistaken for a model that understands them.
package scripted

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
)

const name = "scripted"

// Provider is an llm.Provider. Its zero value is ready.
type Provider struct{}

// New makes one.
func New() *Provider { return &Provider{} }

// Name is "scripted".
func (*Provider) Name() string { return name }

// Stream replies word by word. A rule that cannot be read is a fault of kind Refused.
func (*Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		text, calls, err := reply(req)
		if err != nil {
			yield(llm.Delta{}, &fault.Error{Kind: fault.Refused, Provider: name, Err: err})
			return
		}
		for word := range strings.SplitAfterSeq(text, " ") {
			if ctx.Err() != nil {
				yield(llm.Delta{}, fault.FromNet(name, ctx.Err()))
				return
			}
			if word != "" && !yield(llm.Delta{Text: word}, nil) {
				return
			}
		}
		last := llm.Delta{ToolCalls: calls, Finish: llm.FinishStop}
		if len(calls) > 0 {
			last.Finish = llm.FinishToolCalls
		}
		yield(last, nil)
	}
}

func reply(req llm.Request) (string, []llm.ToolCall, error) {
	talk := listen(req)
	if len(req.Schema) > 0 {
		text, err := fill(req.Schema, talk.heard)
		return text, nil, err
	}
	rules, err := parse(talk.system)
	if err != nil {
		return "", nil, err
	}
	if answer, ok := rules.choose(talk); ok {
		return answer.text, answer.calls, nil
	}
	return talk.improvise(rules.rest), nil, nil
}

// conversation is what matters of a request.
type conversation struct {
	system string          // all system messages
	heard  string          // all that the caller said
	last   string          // what the caller said last; empty: nothing yet
	result *llm.Message    // what a tool answered, when that is the last message
	tool   string          // its name
	calls  int             // how many tool calls there were
	tools  map[string]bool // that may be called now
}

func listen(req llm.Request) *conversation {
	talk := &conversation{tools: map[string]bool{}}
	for _, tool := range req.Tools {
		talk.tools[tool.Name] = true
	}
	names := map[string]string{} // of the tools, by the id of their calls
	var system, heard []string
	for i, message := range req.Messages {
		talk.result = nil
		switch message.Role {
		case llm.RoleSystem:
			system = append(system, message.Content)
		case llm.RoleUser:
			heard, talk.last = append(heard, message.Content), message.Content
		case llm.RoleAssistant:
			for _, call := range message.ToolCalls {
				names[call.ID] = call.Name
				talk.calls++
			}
		case llm.RoleTool:
			talk.result, talk.tool = &req.Messages[i], names[message.ToolCallID]
		}
	}
	talk.system, talk.heard = strings.Join(system, "\n"), strings.Join(heard, " ")
	return talk
}

// nextCall gives a tool call an id that this conversation does not have yet.
func (c *conversation) nextCall(tool, arguments string) llm.ToolCall {
	return llm.ToolCall{ID: fmt.Sprintf("call_%d", c.calls+1), Name: tool, Arguments: arguments}
}
