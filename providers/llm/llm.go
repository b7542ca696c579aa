// Package llm defines language models: a conversation in, a reply out, streamed so that the first words can be spoken
// while the rest is generated.
//
// It knows roles, messages, tools and deltas. It must not know any vendor (each has a package below this one), nor
// phone calls.
package llm

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Roles of a Message.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Finish reasons, in Delta.Finish.
const (
	FinishStop      = "stop"       // the reply is complete
	FinishLength    = "length"     // MaxTokens, or the model's own limit, cut it off
	FinishToolCalls = "tool_calls" // the model waits for the results of its ToolCalls
	FinishFilter    = "content_filter"
)

// Message is one entry of a conversation.
type Message struct {
	Role       string
	Content    string
	ToolCalls  []ToolCall // of an assistant message
	ToolCallID string     // of a tool message: the call whose result is Content
}

// ToolCall is the model's request to run a function.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // a JSON object, as the model wrote it: not validated
}

// Tool is a function that the model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of the arguments; empty: none
}

// Request is one turn of the model.
type Request struct {
	Model       string // empty: the provider's default
	Messages    []Message
	Tools       []Tool
	Temperature *float64        // nil: the provider's default
	MaxTokens   int             // 0: the provider's limit
	Schema      json.RawMessage // when set, the reply is JSON that follows this schema
	FirstToken  time.Duration   // until the first word or tool call; 0: the provider's default
	Aside       bool            // no reply in a conversation: who made the request does without one that comes late
}

// Delta is a part of the reply. The last delta is the only one with Finish, and has all tool calls and the usage.
type Delta struct {
	Text      string
	ToolCalls []ToolCall
	Finish    string
	Usage     Usage
}

// Usage is how many tokens a request took. Zero: the server did not tell.
type Usage struct {
	Prompt, Completion int
	Cached             int // of Prompt: those that the server had in its cache
}

// Provider is a language model. Implementations are safe for concurrent use.
type Provider interface {
	Name() string
	// Stream yields the reply in parts. It ends after the delta with Finish, or with one error, a *fault.Error unless
	// ctx was canceled; nothing follows an error. A stream that ends without Finish has yielded an error. Leaving the
	// loop, or ending ctx, ends the request.
	Stream(ctx context.Context, req Request) iter.Seq2[Delta, error]
}
