package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callwright/callwright/api/client"
)

const (
	lookEvery   = 2 * time.Second
	defaultWait = 30
	longestWait = 45 // seconds: a response over HTTP has a minute
)

var waitSchema = &huma.Schema{
	Type: huma.TypeInteger, Description: "How long to wait for the end of the call at most, in seconds.", Default: defaultWait,
	Minimum: new(float64(0)), Maximum: new(float64(longestWait)),
}

// follower waits for a call.
type follower struct {
	operation *client.Operation // get-call
	connect   Connect
}

func (f follower) handle(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	arguments, err := readArguments(request.Params.Arguments)
	if err != nil {
		return failure(err), nil
	}
	wait, err := readWait(arguments)
	if err != nil {
		return failure(err), nil
	}
	return f.follow(ctx, f.connect(headerOf(request)), client.Arguments{Values: arguments}, wait), nil
}

// readWait takes how long to wait out of the arguments.
func readWait(arguments map[string]json.RawMessage) (time.Duration, error) {
	seconds := defaultWait
	given, ok := arguments["wait_seconds"]
	if ok && (json.Unmarshal(given, &seconds) != nil || seconds < 0 || seconds > longestWait) {
		return 0, &client.ArgumentError{Message: fmt.Sprintf("wait_seconds: must be a whole number from 0 to %d", longestWait)}
	}
	delete(arguments, "wait_seconds")
	return time.Duration(seconds) * time.Second, nil
}

// follow looks the call up until it has ended or the time is over.
func (f follower) follow(ctx context.Context, api *client.Client, arguments client.Arguments,
	wait time.Duration) *mcp.CallToolResult {
	until := time.After(wait)
	for over := false; ; {
		answer, err := api.Call(ctx, f.operation, arguments)
		if err != nil {
			return failure(err)
		}
		var call struct {
			EndedAt *time.Time `json:"ended_at"`
		}
		if err := json.Unmarshal(answer, &call); err != nil {
			return failure(fmt.Errorf("read call: %w", err))
		}
		if ended := call.EndedAt != nil; ended || over {
			return success(fmt.Appendf(nil, `{"ended":%t,"call":%s}`, ended, answer))
		}
		select {
		case <-ctx.Done():
			return failure(ctx.Err())
		case <-until:
			over = true
		case <-time.After(lookEvery):
		}
	}
}
