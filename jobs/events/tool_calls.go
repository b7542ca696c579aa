package events

import (
	"encoding/json"
	"time"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

type toolCallsMessage struct {
	message
	ToolCallList         []toolCallItem `json:"toolCallList" nullable:"false" doc:"What is to be run."`
	ToolWithToolCallList []toolWithCall `json:"toolWithToolCallList" nullable:"false" doc:"The same beside the tool as it is configured."`
	ToolCalls            []toolCallItem `json:"toolCalls" nullable:"false" doc:"The same as toolCallList, for older servers."`
}

// toolCallItem has the fields that the field's servers read: those of OpenAI, and name and parameters beside them.
type toolCallItem struct {
	ID         string           `json:"id" doc:"Name it as toolCallId in the response."`
	Type       string           `json:"type" enum:"function"`
	Function   toolCallFunction `json:"function"`
	Name       string           `json:"name" doc:"The same as function.name."`
	Parameters json.RawMessage  `json:"parameters" doc:"The arguments as an object."`
}

type toolCallFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments" doc:"A JSON object as a string."`
}

type toolWithCall struct {
	Type     string             `json:"type" enum:"function"`
	Function toolFunction       `json:"function"`
	Async    bool               `json:"async" doc:"The assistant goes on without the response."`
	Server   *toolMessageServer `json:"server,omitempty" doc:"The tool's own server."`
	Messages any                `json:"messages,omitempty" doc:"What the assistant says about the tool, as configured."`
	ToolCall toolCallItem       `json:"toolCall"`
}

type toolFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters" doc:"The JSON Schema of the arguments."`
}

type toolMessageServer struct {
	URL string `json:"url"`
}

func newToolCallItem(id, name string, arguments json.RawMessage) toolCallItem {
	return toolCallItem{
		ID: id, Type: "function", Name: name, Parameters: arguments,
		Function: toolCallFunction{Name: name, Arguments: string(arguments)},
	}
}

// ToolCalls asks what a tool of the assistant returns for arguments, a JSON object. It names the tool's server and none of its
// headers, which may be secret.
func ToolCalls(call *dbsqlc.Call, tool *jsonb.Tool, toolCallID string, arguments json.RawMessage, now time.Time) Event {
	item := newToolCallItem(toolCallID, tool.Name, arguments)
	with := toolWithCall{
		Type: "function", Async: tool.Async, Messages: tool.Configured["messages"], ToolCall: item,
		Function: toolFunction{Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters},
	}
	if tool.Server != nil {
		with.Server = &toolMessageServer{tool.Server.URL}
	}
	base := newMessage(callstate.EventToolCalls, call)
	base.Timestamp = now.UnixMilli()
	return Event{eventType: callstate.EventToolCalls, call: call, body: toolCallsMessage{
		message: base, ToolCallList: []toolCallItem{item}, ToolWithToolCallList: []toolWithCall{with}, ToolCalls: []toolCallItem{item},
	}}
}
