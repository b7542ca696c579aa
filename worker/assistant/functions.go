package assistant

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/questions"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/traces"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/turn"
)

// functions are what the customer's server does for the model, beside our own tools. One of them that has the name of one
// of ours takes its place. It implements voice.Tools.
type functions struct {
	maker  *Tools
	callID uuid.UUID
	owner  uuid.UUID
	tools  []jsonb.Tool
	fill   func(string) string
	own    toolbox
}

// Of returns the tools of a call's assistant, ours and the customer's; nil: none.
func (m *Tools) Of(call *dbsqlc.Call) voice.Tools {
	box := &functions{
		maker: m, callID: call.ID, owner: call.AccountID, fill: eachFilled(templateValues(call, time.Now())), own: m.own(call),
	}
	for _, tool := range call.AssistantConfig.Tools(ignore) {
		if tool.Kind == jsonb.ToolFunction {
			box.tools = append(box.tools, tool)
		}
	}
	switch {
	case len(box.tools) > 0:
		return box
	case len(box.own) > 0:
		return box.own
	}
	return nil
}

// List implements voice.Tools.
func (f *functions) List() []llm.Tool {
	var tools []llm.Tool
	for _, tool := range f.tools {
		tools = append(tools, llm.Tool{Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters})
	}
	for _, own := range f.own.List() {
		if f.named(own.Name) == nil {
			tools = append(tools, own)
		}
	}
	return tools
}

func (f *functions) named(name string) *jsonb.Tool {
	i := slices.IndexFunc(f.tools, func(tool jsonb.Tool) bool { return tool.Name == name })
	if i < 0 {
		return nil
	}
	return &f.tools[i]
}

// Call implements voice.Tools. The server's answer is logged even when the call is over before it comes.
func (f *functions) Call(ctx context.Context, call llm.ToolCall, say func(string)) voice.ToolResult {
	tool := f.named(call.Name)
	if tool == nil {
		return f.own.Call(ctx, call, say)
	}
	if words := f.words(tool, jsonb.ToolStart); words != "" {
		say(words)
	}
	answered := make(chan functionOutcome, 1)
	asking := traces.Below(f.maker.Live, ctx)
	f.maker.Asking.Go(func() {
		answer, err := questions.RunFunction(asking, f.maker.Sender, questions.FunctionCall{
			AccountID: f.owner, CallID: f.callID, ProcessID: f.maker.ProcessID, ID: call.ID, Arguments: call.Arguments, Tool: *tool,
		})
		if err != nil && tool.Async {
			f.maker.Logger.WarnContext(ctx, "function failed that nobody waits for", "call_id", f.callID, "error", err)
		}
		answered <- functionOutcome{answer, err}
	})
	if tool.Async {
		return voice.ToolResult{Content: "The server was asked. Its answer will not be known in this call."}
	}
	return f.await(ctx, tool, answered, say)
}

// functionOutcome is how asking a server went.
type functionOutcome struct {
	answer questions.FunctionAnswer
	err    error
}

// await asks the caller for patience, at the times that the tool's configuration names.
func (f *functions) await(ctx context.Context, tool *jsonb.Tool, answered <-chan functionOutcome,
	say func(string)) voice.ToolResult {
	began, delays := time.Now(), delaysOf(tool)
	for {
		var due <-chan time.Time
		if len(delays) > 0 {
			due = time.After(time.Until(began.Add(delays[0].After)))
		}
		select {
		case outcome := <-answered:
			return f.result(tool, outcome)
		case <-due:
			say(f.fill(delays[0].Content))
			delays = delays[1:]
		case <-ctx.Done():
			return voice.ToolResult{Content: "The server did not answer in time.", Err: ctx.Err()}
		}
	}
}

// delaysOf are the messages for a server that is slow, in the order of their times.
func delaysOf(tool *jsonb.Tool) []jsonb.ToolMessage {
	var delays []jsonb.ToolMessage
	for _, message := range tool.Messages {
		if message.When == jsonb.ToolDelayed {
			delays = append(delays, message)
		}
	}
	slices.SortStableFunc(delays, func(a, b jsonb.ToolMessage) int { return int(a.After - b.After) })
	return delays
}

// words is the first message of a kind, filled in.
func (f *functions) words(tool *jsonb.Tool, when string) string {
	if message := messageOf(tool, when); message != nil {
		return f.fill(message.Content)
	}
	return ""
}

func messageOf(tool *jsonb.Tool, when string) *jsonb.ToolMessage {
	i := slices.IndexFunc(tool.Messages, func(message jsonb.ToolMessage) bool { return message.When == when })
	if i < 0 {
		return nil
	}
	return &tool.Messages[i]
}

// result is what the model and the caller are told.
func (f *functions) result(tool *jsonb.Tool, outcome functionOutcome) voice.ToolResult {
	told, when := voice.ToolResult{Content: outcome.answer.Text}, jsonb.ToolComplete
	switch {
	case outcome.err != nil:
		told.Content, told.Err, when = "The function failed: "+reasonFor(outcome.err), outcome.err, jsonb.ToolFailed
	case outcome.answer.Failed:
		told.Err, when = errors.New(outcome.answer.Text), jsonb.ToolFailed
	}
	message := outcome.answer.Message
	if message == nil {
		message = messageOf(tool, when)
	}
	switch {
	case message == nil:
	case message.Hint:
		told.Content += "\n\n" + f.fill(message.Content)
	default:
		told.Say = f.fill(message.Content)
		if message.EndCall {
			told.Then = turn.End{Reason: turn.AssistantEndedCallAfterMessage}
		}
	}
	return told
}

// reasonFor puts a failure into words for the model; what went wrong on our side is none of its business.
func reasonFor(err error) string {
	if bad, ok := errors.AsType[events.BadAnswer](err); ok {
		return string(bad) + "."
	}
	switch kind, failed := fault.Of(err); {
	case kind == fault.Timeout, errors.Is(err, context.DeadlineExceeded):
		return "the server did not answer in time."
	case failed:
		return "the server could not be reached."
	}
	return "it could not be run."
}
