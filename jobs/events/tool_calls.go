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

// ToolCalls asks what a tool of the assistant returns for arguments, a JSON object. It names the tool's server and none of its
// headers, which may be secret.
func ToolCalls(call *dbsqlc.Call, tool *jsonb.Tool, toolCallID string, arguments json.RawMessage, now time.Time) Event {
	item := toolCallItem{
		ID: toolCallID, Type: "function", Name: tool.Name, Parameters: arguments,
		Function: toolCallFunction{Name: tool.Name, Arguments: string(arguments)},
	}
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
