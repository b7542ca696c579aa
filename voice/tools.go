package voice

import (
	"context"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice/turn"
)

// Tools are the functions that the language model may call.
type Tools interface {
	// List returns those that the model may choose from.
	List() []llm.Tool
	// Call runs one. It honours ctx, which ends with the call: a caller who interrupts ends the reply, but what a tool
	// has begun is not half done. say speaks a sentence to the caller who waits; it is for the goroutine of Call, before
	// that returns. A failure goes to the model in words: there is nobody else to hear of it.
	Call(ctx context.Context, call llm.ToolCall, say func(sentence string)) ToolResult
}

// ToolResult is what a tool returns to the model.
type ToolResult struct {
	Content string
	Err     error        // noted; Content still goes to the model
	Say     string       // spoken in place of a reply of the model; empty: the model replies
	Then    turn.Command // carried out after the assistant's reply was spoken; nil: nothing
}
