package jsonb

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// ToolKind is what a tool does.
type ToolKind string

// The kinds. Tools of other types are kept in the configuration and not used.
const (
	ToolFunction  ToolKind = "function" // asks the customer's server
	ToolEndCall   ToolKind = "endCall"
	ToolTransfer  ToolKind = "transferCall"
	ToolDigits    ToolKind = "dtmf"
	ToolKnowledge ToolKind = "query"
)

// Tool is something that the model may do in a call, read from functions and model.tools.
type Tool struct {
	Kind         ToolKind
	Name         string // of a function
	Description  string
	Parameters   json.RawMessage // of a function: the JSON Schema of an object
	Server       *ToolServer     // nil: the assistant's server, else the account's webhook
	Async        bool            // the assistant goes on without the answer
	Messages     []ToolMessage
	Destinations []ToolDestination // of a transfer
	Path         string            // where it is configured
	Configured   Object            // as it was configured
}

// ToolServer is a server that is asked for one tool alone.
type ToolServer struct {
	URL     string
	Headers map[string]string
	Timeout time.Duration
}

// When a ToolMessage is spoken.
const (
	ToolStart    = "request-start"            // before the server is asked
	ToolDelayed  = "request-response-delayed" // when it has not answered After
	ToolComplete = "request-complete"         // in place of a reply of the model
	ToolFailed   = "request-failed"           // likewise, when it failed
)

// ToolMessage is what the assistant says about a tool at work.
type ToolMessage struct {
	When    string
	Content string
	After   time.Duration // of ToolDelayed
	Hint    bool          // of ToolComplete and ToolFailed: for the model to read, not to be spoken
	EndCall bool          // of ToolComplete and ToolFailed: hang up when it was spoken
}

// ToolDestination is a telephone to which a transfer may go.
type ToolDestination struct {
	Name        string
	Description string
	Target      string        // E.164 or SIP URI
	Message     string        // spoken before
	Plan        *TransferPlan // nil: a blind transfer
}

// Tools reads functions, model.functions and model.tools. It tells wrong what cannot be used, by field, and leaves that out.
func (a *Assistant) Tools(wrong func(path, why string)) []Tool {
	reader := &toolReader{wrong: wrong, names: map[string]bool{}}
	for i, item := range a.functionList(wrong) {
		reader.add(fmt.Sprintf("functions[%d]", i), item)
	}
	for _, name := range []string{"functions", "tools"} {
		list, listed := planValue(a.Model, name).([]any)
		if value := planValue(a.Model, name); value != nil && !listed {
			wrong("model."+name, "is not an array")
		}
		for i, item := range list {
			reader.add(fmt.Sprintf("model.%s[%d]", name, i), item)
		}
	}
	return reader.tools
}

func (a *Assistant) functionList(wrong func(path, why string)) []any {
	text := strings.TrimSpace(a.Functions)
	if text == "" {
		return nil
	}
	var functions []any
	if err := json.Unmarshal([]byte(text), &functions); err != nil {
		wrong("functions", "is not JSON text with a list")
		return nil
	}
	if strings.Contains(text, `\u0000`) { // Postgres takes none in a message
		wrong("functions", "holds a NUL character")
		return nil
	}
	return functions
}

// ReadToolMessage reads what a server wants to be said about its answer; nil: nothing that can be.
func ReadToolMessage(text json.RawMessage) *ToolMessage {
	var fields any
	if len(text) == 0 || json.Unmarshal(text, &fields) != nil {
		return nil
	}
	if list, ok := fields.([]any); ok && len(list) > 0 {
		fields = list[0]
	}
	message, _ := fields.(map[string]any)
	read := &ToolMessage{}
	read.When, _ = message["type"].(string)
	read.Content, _ = message["content"].(string)
	read.EndCall, _ = message["endCallAfterSpokenEnabled"].(bool)
	read.Hint = message["role"] == "system"
	if read.Content == "" || len(read.Content) > maxToolMessage {
		return nil
	}
	return read
}
