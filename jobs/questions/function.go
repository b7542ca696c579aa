package questions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/events"
)

// A function that the customer configured is run by the customer's server: the tool's own, else the assistant's, else the
// account's webhook. It is asked once, with a tool-calls message, and returns {"results": [{"toolCallId", "result" or
// "error"}]}.

// FunctionCall is a function that the model calls in a call.
type FunctionCall struct {
	AccountID, CallID uuid.UUID
	ProcessID         string // which holds the call: nobody else asks
	ID                string // the model's
	Arguments         string // a JSON object as the model wrote it
	Tool              jsonb.Tool
}

// FunctionAnswer is the answer of the server, in words for the model.
type FunctionAnswer struct {
	Text    string
	Failed  bool               // the server says so
	Message *jsonb.ToolMessage // what to say about it; nil: what the tool's configuration says
}

const (
	errArguments     events.BadAnswer = "the arguments are not a JSON object"
	errAnotherAnswer events.BadAnswer = "the server answered another tool call"
	errNoResult      events.BadAnswer = "the server gave neither a result nor an error"
	errNotJSON       events.BadAnswer = "the server's answer is not JSON"
	errAnswerTooLong events.BadAnswer = "the server's answer is longer than 64 KiB"
)

const maxFunctionAnswer = 64<<10 - 1 // providers/hook reads one byte more

// RunFunction asks the server, while the call runs: calls.ErrConflict afterwards. Its other errors say why there is no answer. The
// attempt is logged also when ctx ends.
func RunFunction(ctx context.Context, sender *events.Sender, asked FunctionCall) (FunctionAnswer, error) {
	arguments, err := readArguments(asked.Arguments)
	if err != nil {
		return FunctionAnswer{}, err
	}
	question := &liveQuestion{accountID: asked.AccountID, callID: asked.CallID, processID: asked.ProcessID,
		server: asked.Tool.Server}
	if question.server != nil {
		question.timeout = question.server.Timeout
	}
	body, err := question.ask(ctx, sender, func(call *dbsqlc.Call) events.Event {
		return events.ToolCalls(call, &asked.Tool, db.Storable(asked.ID), arguments, sender.Now())
	})
	if err != nil {
		return FunctionAnswer{}, err
	}
	return readFunctionAnswer(body, asked.ID)
}

// readArguments returns the arguments as the server gets them: a JSON object.
func readArguments(text string) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		text = "{}"
	}
	value, err := jsonb.ReadJSON(text)
	object, ok := value.(map[string]any)
	if err != nil || !ok {
		return nil, errArguments
	}
	arguments, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("encode arguments: %w", err)
	}
	return arguments, nil
}

// functionResult is one result of an answer.
type functionResult struct {
	ToolCallID string          `json:"toolCallId"`
	Result     json.RawMessage `json:"result"`
	Error      json.RawMessage `json:"error"`
	Message    json.RawMessage `json:"message"`
}

// readFunctionAnswer takes what the field's servers answer: results, one result bare, or, where neither is there, any
// JSON, which is the result itself.
func readFunctionAnswer(body []byte, id string) (FunctionAnswer, error) {
	if len(body) > maxFunctionAnswer {
		return FunctionAnswer{}, errAnswerTooLong
	}
	if body = bytes.TrimSpace(body); len(body) == 0 {
		return FunctionAnswer{}, errNoResult
	}
	if !json.Valid(body) {
		return FunctionAnswer{}, errNotJSON
	}
	var answer struct {
		functionResult
		Results         []functionResult `json:"results"`
		MessageResponse json.RawMessage  `json:"messageResponse"`
	}
	result := FunctionAnswer{Text: plainJSON(body)}
	if result.Text == "" {
		return FunctionAnswer{}, errNoResult
	}
	known := body[0] == '{' && json.Unmarshal(body, &answer) == nil // else no object, or one with other fields of these names
	if !known {
		return result, nil
	}
	if len(answer.MessageResponse) > 0 {
		return readFunctionAnswer(answer.MessageResponse, id)
	}
	if answer.Results != nil {
		return readResults(answer.Results, id)
	}
	if answer.ToolCallID != "" && answer.ToolCallID != id {
		return FunctionAnswer{}, errAnotherAnswer
	}
	if len(answer.Result) > 0 || len(answer.Error) > 0 {
		return answer.read()
	}
	return result, nil
}

// readResults finds the result of a call; a lone one may leave out whose it is.
func readResults(results []functionResult, id string) (FunctionAnswer, error) {
	for _, result := range results {
		if result.ToolCallID == id || result.ToolCallID == "" && len(results) == 1 {
			return result.read()
		}
	}
	return FunctionAnswer{}, errAnotherAnswer
}

func (r functionResult) read() (FunctionAnswer, error) {
	answer := FunctionAnswer{Text: plainJSON(r.Result), Message: jsonb.ReadToolMessage(r.Message)}
	if failure := plainJSON(r.Error); failure != "" {
		answer.Text, answer.Failed = failure, true
	}
	if answer.Text == "" {
		return FunctionAnswer{}, errNoResult
	}
	return answer, nil
}

// plainJSON returns a JSON text itself, and other JSON as it is; null is empty.
func plainJSON(value json.RawMessage) string {
	var text string
	if len(value) == 0 || string(value) == "null" || json.Unmarshal(value, &text) == nil {
		return text
	}
	compact := &bytes.Buffer{}
	if err := json.Compact(compact, value); err != nil { // it was decoded before
		return string(value)
	}
	return compact.String()
}
