// Package tools offers operations of the API to AI agents, as tools of the Model Context Protocol. A tool takes what its
// operations take and is carried out by a request with the agent's key, so that its scope, its account and its limits hold. It
// knows which operations an agent needs, and which of them need a person's consent; it must not know how requests are carried
// out.
package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callwright/callwright/api/client"
)

const instructions = `Callwright runs AI phone assistants. place_call rings a real telephone, unless the key is a test key: ask before you call somebody.
A call runs by itself: follow_call waits for it and returns what was said so far. Lists are newest first; their pagination tells whether
there are more. Errors name every wrong field.`

// Connect returns the client for a request of an agent. header is of the HTTP request that brought it; nil: there was none.
type Connect func(header http.Header) *client.Client

// NewServer returns a server of all tools.
func NewServer(document *huma.OpenAPI, version string, connect Connect) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "callwright", Title: "Callwright", Version: version}, &mcp.ServerOptions{
		Instructions: instructions, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	operations := client.Operations(document)
	for _, one := range offered {
		op := operations[one.operation]
		if op == nil {
			panic("the tool " + one.name + " has no operation " + one.operation) // a test makes every server
		}
		schema := newSchema(document, op)
		handle := caller{op, connect}.handle
		if one.name == followTool {
			schema.Properties["wait_seconds"] = waitSchema
			handle = follower{op, connect}.handle
		}
		server.AddTool(&mcp.Tool{
			Name: one.name, Title: op.Summary, Description: describe(one, op), InputSchema: schema.raw(),
			Annotations: one.annotations(op.Summary),
		}, handle)
	}
	return server
}

func describe(one tool, op *client.Operation) string {
	if one.description != "" {
		return one.description
	}
	return op.Summary + ". " + op.Description
}

// caller carries out a tool by one request.
type caller struct {
	operation *client.Operation
	connect   Connect
}

func (c caller) handle(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	arguments, err := readArguments(request.Params.Arguments)
	if err != nil {
		return failure(err), nil
	}
	answer, err := c.connect(headerOf(request)).Call(ctx, c.operation, client.Arguments{Values: arguments})
	if err != nil {
		return failure(err), nil
	}
	return success(answer), nil
}

func headerOf(request *mcp.CallToolRequest) http.Header {
	if request.Extra == nil {
		return nil
	}
	return request.Extra.Header
}

// readArguments returns the arguments of a tool by the names of the operation's inputs. null is for nothing given, except for
// fields of a body, which it resets.
func readArguments(raw json.RawMessage) (map[string]json.RawMessage, error) {
	arguments := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, &arguments); err != nil {
			return nil, &client.ArgumentError{Message: "the arguments are not a JSON object"}
		}
	}
	if arguments == nil {
		arguments = map[string]json.RawMessage{}
	}
	if key, given := arguments[idempotencyKey]; given {
		delete(arguments, idempotencyKey)
		arguments[client.IdempotencyHeader] = key
	}
	return arguments, nil
}

// success is the result for the JSON of a response.
func success(answer json.RawMessage) *mcp.CallToolResult {
	if len(answer) == 0 {
		answer = json.RawMessage(`{"done":true}`)
	}
	answer = bytes.TrimSpace(answer)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(answer)}}, StructuredContent: answer}
}

// failure is the result for an error: the model reads it, and may do better.
func failure(err error) *mcp.CallToolResult {
	text := err.Error()
	if refused, ok := errors.AsType[*client.Refusal](err); ok && refused.RetryAfter > 0 {
		text += fmt.Sprintf(" Again in %.0f s.", refused.RetryAfter.Seconds())
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: true}
}
