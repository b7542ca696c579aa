// Package scripted is a language model that needs no key and no server: it follows rules in the system message. The same
// conversation always gets the same reply. It serves deployments without a language model, and tests. It compares words
// and does not understand them: callers must not take it for a model that can sum up or judge a text.
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
// "when" matches if the caller's last message contains all words of one of the alternatives between the commas, in any
// order, or matches the regular expression between slashes; case and accents are ignored. The first rule that matches
// wins. "call" calls a tool, if the request offers it, with the JSON object after its name. "after" replies to the result
// of that tool, which replaces {result}. "hello" replies when the caller has said nothing yet; "otherwise" replies when
// nothing else matches. Other lines are ignored.
//
// Without a rule that matches it greets, repeats the result of a tool if that is plain text, or says that it does not
// know. A request with a Schema gets the simplest JSON that follows it, with the caller's words for text.
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

// Replies without a rule.
const (
	defaultHello     = "Hello, how can I help you?"
	defaultResult    = "That is done."
	defaultOtherwise = "I am sorry, I do not know that."
)

// Provider is an llm.Provider. Its zero value is ready.
type Provider struct{}

// New returns a Provider.
func New() *Provider { return &Provider{} }

// Name returns "scripted".
func (*Provider) Name() string { return name }

// Answers reports whether requests to a model are answered here, also where others stand around it that count them or stand in
// for it: their names begin with that of the first whom they ask.
func Answers(model llm.Provider) bool {
	first, _, _ := strings.Cut(model.Name(), ",")
	return first == name
}

// Stream replies word by word. A rule that cannot be parsed is a fault of kind Refused.
func (*Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		text, calls, err := respond(req)
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

func respond(req llm.Request) (string, []llm.ToolCall, error) {
	talk := newConversation(req)
	if len(req.Schema) > 0 {
		text, err := fill(req.Schema, talk.heard)
		return text, nil, err
	}
	rules, err := parse(talk.system)
	if err != nil {
		return "", nil, err
	}
	if found, ok := rules.match(talk); ok {
		return found.text, found.calls, nil
	}
	return talk.defaultReply(), nil, nil
}

// conversation holds the parts of a request that rules look at.
type conversation struct {
	system string          // all system messages
	heard  string          // everything that the caller said
	last   string          // the last thing that the caller said; empty: nothing yet
	result *llm.Message    // of a tool, if that is the last message
	tool   string          // name of that tool
	calls  int             // number of tool calls so far
	tools  map[string]bool // tools that may be called now
}

func newConversation(req llm.Request) *conversation {
	talk := &conversation{tools: map[string]bool{}}
	for _, tool := range req.Tools {
		talk.tools[tool.Name] = true
	}
	names := map[string]string{} // of tools, by the id of their calls
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

// nextCall returns a tool call with an id that is new in this conversation.
func (c *conversation) nextCall(tool, arguments string) llm.ToolCall {
	return llm.ToolCall{ID: fmt.Sprintf("call_%d", c.calls+1), Name: tool, Arguments: arguments}
}

// defaultReply returns what is said without a rule.
func (c *conversation) defaultReply() string {
	switch {
	case c.result != nil:
		if plain := strings.TrimSpace(c.result.Content); plain != "" && !strings.ContainsAny(plain[:1], "{[") {
			return plain
		}
		return defaultResult
	case len(words(c.last)) == 0:
		return defaultHello
	}
	return defaultOtherwise
}
