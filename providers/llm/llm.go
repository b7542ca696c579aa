// Package llm is what the product asks of a language model: a conversation in, a reply
// out, streamed so that the first words can be spoken while the rest is still being made.
//
// It knows roles, messages, tools and deltas. It must not know any vendor (each has a
// package below this one), nor telephone calls: what is said, to whom and when is the
// caller's business.
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

// Reasons to finish, in Delta.Finish.
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
	ToolCalls  []ToolCall // of the assistant
	ToolCallID string     // of a tool: the call that Content answers
}

// ToolCall is the model's wish to have a function run.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // a JSON object, as the model wrote it: not validated
}

// Tool is a function that the model may ask for.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON schema of the arguments; empty: none
}

// Request is one turn of the model.
type Request struct {
	Model       string // empty: the provider's default
	Messages    []Message
	Tools       []Tool
	Temperature *float64        // nil: the provider's default
	MaxTokens   int             // 0: no limit of ours
	Schema      json.RawMessage // when set, the reply is JSON that follows this schema
	FirstToken  time.Duration   // until the first word or tool call; 0: the provider's default
}

// Delta is a piece of the reply. Whole tool calls come with the last delta, which is the
// one, and the only one, with Finish set.
type Delta struct {
	Text      string
	ToolCalls []ToolCall
	Finish    string
}

// Provider is a language model. Implementations are safe for concurrent use.
type Provider interface {
	Name() string
	// Stream yields the reply piece by piece. It ends after the delta with Finish, or
	// with one error, a *fault.Error unless ctx was cancelled; nothing follows an error.
	// A stream that ends without Finish has yielded an error. Leaving the loop early, or
	// ending ctx, ends the request.
	Stream(ctx context.Context, req Request) iter.Seq2[Delta, error]
}
