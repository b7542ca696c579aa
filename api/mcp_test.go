package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
)

// TestToolsAreInTheAudit: what a tool changes comes from where its agent is, whatever the agent says of that.
func TestToolsAreInTheAudit(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	call := object{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": object{"name": "create_contact", "arguments": object{"phone_number": "+31612345678"}}}
	response := server.Do(t, http.MethodPost, "/mcp", call, "Accept", "application/json, text/event-stream", "Callwright-Origin",
		"203.0.113.9", "Mcp-Protocol-Version", "2025-06-18")
	require.Equal(t, http.StatusOK, response.Status, "%s", response.Body)
	entries := apitest.Want[listAnswer](t, server, http.StatusOK, http.MethodGet, "/v1/audit", nil).Data
	require.Len(t, entries, 1, "%s", response.Body)
	require.Equal(t, []any{"create-contact", "192.0.2.1"}, []any{entries[0]["operation"], entries[0]["address"]})
}
