package customer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/alecthomas/kong"
	"github.com/danielgtaylor/huma/v2"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callwright/callwright/api/client"
	"github.com/callwright/callwright/api/tools"
)

// mcpCommand serves the tools of agents to the program that started it.
type mcpCommand struct {
	connection
}

// Run implements the command. Standard output is the protocol's.
func (c *mcpCommand) Run(ctx context.Context, k *kong.Kong, document *huma.OpenAPI) error {
	api, err := c.open(k)
	if err != nil {
		return err
	}
	server := tools.NewServer(document, k.Model.Vars()["version"], func(http.Header) *client.Client { return api })
	err = server.Run(ctx, &sdk.StdioTransport{})
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve tools: %w", err)
	}
	return nil
}
