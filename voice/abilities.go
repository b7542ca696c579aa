package voice

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice/turn"
)

// The names under which the model knows the tools that come with the assistant.
const (
	toolEndCall    = "end_call"
	toolTransfer   = "transfer"
	toolSendDigits = "send_digits"
)

// mostDigits is what send_digits takes at once.
const mostDigits = 40

// abilities are the tools that come with the assistant, and those that others gave. One of the others that has the same name
// takes its place.
type abilities struct {
	Abilities
	others Tools // nil: none
}

// withAbilities returns both together, nil when there are no tools at all.
func withAbilities(own Abilities, others Tools) Tools {
	a := abilities{own, others}
	if len(a.own()) == 0 {
		return others
	}
	return a
}

// List implements Tools.
func (a abilities) List() []llm.Tool {
	if a.others == nil {
		return a.own()
	}
	others := a.others.List()
	own := slices.DeleteFunc(a.own(), func(tool llm.Tool) bool { return named(others, tool.Name) })
	return append(own, others...)
}

func named(tools []llm.Tool, name string) bool {
	return slices.ContainsFunc(tools, func(tool llm.Tool) bool { return tool.Name == name })
}

func (a abilities) own() []llm.Tool {
	var tools []llm.Tool
	if a.EndCall {
		tools = append(tools, llm.Tool{
			Name:        toolEndCall,
			Description: "Hang up. Use it when the conversation is over, after saying goodbye.",
			Parameters:  schemaOf(nil),
		})
	}
	if len(a.Transfers) > 0 {
		tools = append(tools, llm.Tool{
			Name:        toolTransfer,
			Description: "Hand the caller over to a person. " + a.directory(),
			Parameters:  schemaOf(map[string]any{"destination": map[string]any{"type": "string", "enum": a.destinations()}}),
		})
	}
	if a.SendDigits {
		tools = append(tools, llm.Tool{
			Name:        toolSendDigits,
			Description: "Press keys of the telephone, to choose from the menu of a machine. A comma waits half a second.",
			Parameters: schemaOf(map[string]any{
				"digits": map[string]any{"type": "string", "pattern": "^[0-9*#A-D,]+$", "maxLength": mostDigits},
			}),
		})
	}
	return tools
}

func (a abilities) destinations() []string {
	names := make([]string, len(a.Transfers))
	for i, to := range a.Transfers {
		names[i] = to.Name
	}
	return names
}

func (a abilities) directory() string {
	var lines []string
	for _, to := range a.Transfers {
		if to.Description != "" {
			lines = append(lines, to.Name+": "+to.Description)
		}
	}
	return strings.Join(lines, "\n")
}

// schemaOf returns the JSON schema of an object with these properties, all of them required.
func schemaOf(properties map[string]any) json.RawMessage {
	required := []string{}
	for name := range properties {
		required = append(required, name)
	}
	if properties == nil {
		properties = map[string]any{}
	}
	schema, err := json.Marshal(map[string]any{
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	})
	if err != nil { // maps of strings and numbers always marshal
		panic(fmt.Sprintf("write schema of a tool: %v", err))
	}
	return schema
}

// Call implements Tools.
func (a abilities) Call(ctx context.Context, call llm.ToolCall, say func(string)) ToolResult {
	if a.others != nil && named(a.others.List(), call.Name) {
		return a.others.Call(ctx, call, say)
	}
	var arguments struct {
		Destination string `json:"destination"`
		Digits      string `json:"digits"`
	}
	if call.Arguments != "" {
		if err := json.Unmarshal([]byte(call.Arguments), &arguments); err != nil {
			return misused(call.Name, "The arguments are not a JSON object of texts.")
		}
	}
	switch {
	case call.Name == toolEndCall && a.EndCall:
		return ToolResult{Content: "The call ends.", Then: turn.End{Reason: turn.AssistantEndedCall, Farewell: true}}
	case call.Name == toolTransfer && len(a.Transfers) > 0:
		return a.transferTo(arguments.Destination)
	case call.Name == toolSendDigits && a.SendDigits:
		return sendDigits(arguments.Digits)
	case a.others != nil:
		return a.others.Call(ctx, call, say)
	default:
		return misused(call.Name, "There is no such tool.")
	}
}

func misused(tool, why string) ToolResult {
	return ToolResult{Content: why, Err: fmt.Errorf("call %s: %s", tool, why)}
}

func (a abilities) transferTo(name string) ToolResult {
	i := slices.IndexFunc(a.Transfers, func(to Destination) bool { return strings.EqualFold(to.Name, strings.TrimSpace(name)) })
	if i < 0 {
		return misused(toolTransfer, "There is no such destination. There are: "+strings.Join(a.destinations(), ", ")+".")
	}
	to := a.Transfers[i]
	transfer := turn.Transfer{Target: to.Target, Announcement: to.Announcement, Plan: to.Plan}
	return ToolResult{Content: "The caller is being transferred.", Then: transfer}
}

func sendDigits(digits string) ToolResult {
	if digits == "" || len(digits) > mostDigits || strings.Trim(digits, "0123456789*#ABCD,") != "" {
		return misused(toolSendDigits, fmt.Sprintf("Want 1 to %d of the keys 0-9, *, #, A-D and the comma.", mostDigits))
	}
	return ToolResult{Content: "The keys were pressed.", Then: turn.SendDigits{Digits: digits}}
}
