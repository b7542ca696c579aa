package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

// A function that the customer configured is run by the customer's server: the tool's own, else the assistant's, else the
// account's webhook. It is asked once, with a tool-calls message, and answers {"results": [{"toolCallId", "result" or
// "error"}]}.

// FunctionCall is a function that the model calls in a call.
type FunctionCall struct {
	AccountID, CallID uuid.UUID
	ProcessID         string // which holds the call: nobody else asks
	ID                string // the model's
	Arguments         string // a JSON object as the model wrote it
	Tool              jsonb.Tool
}

// FunctionAnswer is what the server answered, in words for the model.
type FunctionAnswer struct {
	Text    string
	Failed  bool               // the server says so
	Message *jsonb.ToolMessage // what to say about it; nil: what the tool's configuration says
}

// BadAnswer says, in words for the model, that a server was not asked or gave no answer that counts.
type BadAnswer string

// Error implements error.
func (b BadAnswer) Error() string { return string(b) }

const (
	errNoServer      BadAnswer = "there is no server that could be asked"
	errArguments     BadAnswer = "the arguments are not a JSON object"
	errAnotherAnswer BadAnswer = "the server answered another tool call"
	errNoResult      BadAnswer = "the server gave neither a result nor an error"
	errNotJSON       BadAnswer = "the server's answer is not JSON"
	errAnswerTooLong BadAnswer = "the server's answer is longer than 64 KiB"
)

const maxFunctionAnswer = 64<<10 - 1 // providers/hook reads one byte more

type toolCallsMessage struct {
	message
	ToolCallList         []toolCallItem `json:"toolCallList"`
	ToolWithToolCallList []toolWithCall `json:"toolWithToolCallList"`
	ToolCalls            []toolCallItem `json:"toolCalls"` // what older servers read
}

// toolCallItem has the fields that the field's servers read: those of OpenAI, and name and parameters beside them.
type toolCallItem struct {
	ID         string           `json:"id"`
	Type       string           `json:"type"`
	Function   toolCallFunction `json:"function"`
	Name       string           `json:"name"`
	Parameters json.RawMessage  `json:"parameters"`
}

type toolCallFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON in a string
}

type toolWithCall struct {
	Type     string             `json:"type"`
	Function toolFunction       `json:"function"`
	Async    bool               `json:"async"`
	Server   *toolMessageServer `json:"server,omitempty"`
	Messages any                `json:"messages,omitempty"`
	ToolCall toolCallItem       `json:"toolCall"`
}

type toolFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

type toolMessageServer struct {
	URL string `json:"url"`
}

// CallFunction asks the server, while the call runs: ErrMoved afterwards. Its other errors say why there is no answer. The attempt is logged also when ctx ends.
func CallFunction(ctx context.Context, deps *Deps, asked FunctionCall) (FunctionAnswer, error) {
	item, err := newToolCallItem(asked)
	if err != nil {
		return FunctionAnswer{}, err
	}
	id, err := db.WithTx(ctx, deps.DB, func(tx pgx.Tx) (uuid.UUID, error) {
		if err := HoldCall(ctx, tx, asked.CallID, asked.ProcessID); err != nil {
			return uuid.Nil, err
		}
		call, err := dbsqlc.New().CallGet(ctx, tx, &dbsqlc.CallGetParams{AccountID: asked.AccountID, ID: asked.CallID})
		if err != nil {
			return uuid.Nil, fmt.Errorf("get call: %w", err)
		}
		return recordQuestion(ctx, tx, fact{
			eventType: callstate.EventToolCalls, call: call, body: newToolCallsMessage(call, asked.Tool, item, deps.Now()),
		})
	})
	if err != nil {
		return FunctionAnswer{}, err
	}
	due := question{event: DeliverEventArgs{EventID: id, AccountID: asked.AccountID}, server: asked.Tool.Server}
	if due.server != nil {
		due.timeout = due.server.Timeout
	}
	body, err := ask(ctx, deps, due)
	if err != nil {
		return FunctionAnswer{}, err
	}
	return readFunctionAnswer(body, asked.ID)
}

func newToolCallItem(asked FunctionCall) (toolCallItem, error) {
	arguments := strings.TrimSpace(asked.Arguments)
	if arguments == "" {
		arguments = "{}"
	}
	value, err := jsonb.ReadJSON(arguments)
	object, ok := value.(map[string]any)
	if err != nil || !ok {
		return toolCallItem{}, errArguments
	}
	parameters, err := json.Marshal(object)
	if err != nil {
		return toolCallItem{}, fmt.Errorf("encode arguments: %w", err)
	}
	return toolCallItem{
		ID: storable(asked.ID), Type: "function", Name: asked.Tool.Name, Parameters: parameters,
		Function: toolCallFunction{Name: asked.Tool.Name, Arguments: string(parameters)},
	}, nil
}

// newToolCallsMessage names the tool's server and none of its headers, which may be secret.
func newToolCallsMessage(call *dbsqlc.Call, tool jsonb.Tool, item toolCallItem, now time.Time) toolCallsMessage {
	with := toolWithCall{
		Type: "function", Async: tool.Async, Messages: tool.Configured["messages"], ToolCall: item,
		Function: toolFunction{Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters},
	}
	if tool.Server != nil {
		with.Server = &toolMessageServer{tool.Server.URL}
	}
	told := newMessage(callstate.EventToolCalls, call)
	told.Timestamp = now.UnixMilli()
	return toolCallsMessage{
		message: told, ToolCallList: []toolCallItem{item}, ToolWithToolCallList: []toolWithCall{with}, ToolCalls: []toolCallItem{item},
	}
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

// plainJSON is a JSON text itself, and other JSON as it is; null is empty.
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
