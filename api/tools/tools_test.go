package tools_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/api/client"
	"github.com/callwright/callwright/api/tools"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// withKey is a client's transport that adds headers to every request.
type withKey struct {
	key     string
	headers map[string]string
}

func (w withKey) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	if w.key != "" {
		request.Header.Set("Authorization", "Bearer "+w.key)
	}
	for name, value := range w.headers {
		if name == "Host" {
			request.Host = value
			continue
		}
		request.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(request)
}

// agent is a client of the tools.
type agent struct{ *mcp.ClientSession }

// transports connects the same agent over HTTP and over a pipe, as a program does that starts callwright mcp.
var transports = map[string]func(t *testing.T, url, key string) mcp.Transport{
	"HTTP": func(_ *testing.T, url, key string) mcp.Transport {
		return &mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: withKey{key: key}}}
	},
	"Pipe": func(t *testing.T, url, key string) mcp.Transport {
		ours, theirs := mcp.NewInMemoryTransports()
		server := tools.NewServer(api.Document(), "test", func(http.Header) *client.Client {
			return &client.Client{URL: url, Key: key, Attempts: 1}
		})
		session, err := server.Connect(t.Context(), ours, nil)
		require.NoError(t, err)
		t.Cleanup(func() { _ = session.Close() })
		return theirs
	},
}

func connect(t *testing.T, transport mcp.Transport) (*agent, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = session.Close() })
	return &agent{session}, nil
}

// use calls a tool and returns its text.
func (a *agent) use(t *testing.T, name string, arguments any) (text string, failed bool) {
	t.Helper()
	result, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	require.NoError(t, err, name)
	require.Len(t, result.Content, 1, name)
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// must calls a tool that has to succeed, and decodes its result.
func (a *agent) must(t *testing.T, name string, arguments map[string]any) map[string]any {
	t.Helper()
	text, failed := a.use(t, name, arguments)
	require.False(t, failed, "%s: %s", name, text)
	var result map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &result), "%s: %s", name, text)
	return result
}

func serve(t *testing.T) (*apitest.Server, string) {
	t.Helper()
	server := apitest.New(t)
	served := httptest.NewServer(server.Handler)
	t.Cleanup(served.Close)
	return server, served.URL
}

// TestTools uses every tool, over each transport.
func TestTools(t *testing.T) {
	t.Parallel()

	for name, transport := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, url := serve(t)
			_, err := server.Tx.Exec(t.Context(), "UPDATE api_key SET requests_per_minute = 10000")
			require.NoError(t, err)
			agent, err := connect(t, transport(t, url, server.Key))
			require.NoError(t, err)
			unused := offered(t, agent)
			walk := &walk{t: t, agent: agent, unused: unused}
			contact := walk.contacts()
			walk.assistants(dbfactory.Number(t, server.Tx, server.Account.ID).ID.String(), contact)
			walk.must("delete_contact", map[string]any{"contact_id": contact})
			walk.knowledge()
			require.Empty(t, walk.unused, "every tool is used")
		})
	}
}

// offered returns the tools, having looked at what they say of themselves.
func offered(t *testing.T, agent *agent) map[string]bool {
	t.Helper()
	list, err := agent.ListTools(t.Context(), nil)
	require.NoError(t, err)
	found := map[string]bool{}
	for _, tool := range list.Tools {
		found[tool.Name] = true
		reads := strings.HasPrefix(tool.Name, "list_") || strings.HasPrefix(tool.Name, "get_") || tool.Name == "search_knowledge" ||
			tool.Name == "follow_call"
		require.Equal(t, reads, tool.Annotations.ReadOnlyHint, tool.Name)
		adds := slices.Contains([]string{"create_assistant", "create_contact", "create_knowledge_document"}, tool.Name)
		require.Equal(t, !reads && !adds, *tool.Annotations.DestructiveHint, tool.Name)
		require.NotEmpty(t, tool.Description, tool.Name)
		schema, err := json.Marshal(tool.InputSchema)
		require.NoError(t, err)
		require.NotContains(t, string(schema), "#/components/", "%s stands alone", tool.Name)
		requireDefined(t, tool.Name, schema)
	}
	require.Len(t, found, len(list.Tools))
	return found
}

// requireDefined requires that a schema has everything it refers to.
func requireDefined(t *testing.T, name string, text []byte) {
	t.Helper()
	var schema struct {
		Defs map[string]any `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(text, &schema))
	for _, part := range strings.Split(string(text), `"#/$defs/`)[1:] {
		referred, _, _ := strings.Cut(part, `"`)
		require.Contains(t, schema.Defs, referred, name)
	}
}

// walk uses tools.
type walk struct {
	t      *testing.T
	agent  *agent
	unused map[string]bool
}

func (w *walk) must(name string, arguments map[string]any) map[string]any {
	w.t.Helper()
	delete(w.unused, name)
	return w.agent.must(w.t, name, arguments)
}

// assistants makes one, has it call somebody, and looks at what became of it.
func (w *walk) assistants(number string, contact any) {
	made := w.must("create_assistant", map[string]any{"assistant_name": "Receptionist", "max_duration_seconds": 60})
	id := made["assistant_id"]
	assistant := map[string]any{"assistant_id": id}
	require.Len(w.t, w.must("list_assistants", nil)["data"], 1)
	require.Equal(w.t, "Receptionist", w.must("get_assistant", assistant)["assistant_name"])
	changed := w.must("update_assistant", map[string]any{"assistant_id": id, "first_message": "Hello"})
	require.Equal(w.t, "Hello", changed["first_message"])
	w.must("list_phone_numbers", nil)
	w.must("link_phone_number", map[string]any{"id": id, "phone_number_id": number})

	place := map[string]any{"assistant_id": id, "contact_phone_number": "+31612345678", "idempotency_key": "once"}
	call := w.must("place_call", place)
	require.Equal(w.t, call["call_id"], w.must("place_call", place)["call_id"], "the same key places one call")
	one := map[string]any{"call_id": call["call_id"]}
	require.Equal(w.t, "queued", w.must("get_call", one)["call_status"])
	require.Len(w.t, w.must("list_calls", map[string]any{"call_status": "queued"})["data"], 1)
	followed := w.must("follow_call", map[string]any{"call_id": call["call_id"], "wait_seconds": 0})
	require.Equal(w.t, false, followed["ended"])
	text, failed := w.agent.use(w.t, "message_call", map[string]any{"call_id": call["call_id"], "type": "say", "content": "Hello"})
	require.True(w.t, failed, "it is not live")
	require.Contains(w.t, text, "409 conflict")
	delete(w.unused, "message_call")
	w.must("end_call", one)
	require.Equal(w.t, true, w.must("follow_call", one)["ended"])

	scheduled := w.must("create_scheduled_call", map[string]any{
		"assistant_id": id, "contact_id": contact, "scheduled_time": time.Now().Add(time.Hour).UTC().Format(time.RFC3339),
	})
	later := map[string]any{"id": scheduled["id"]}
	require.Len(w.t, w.must("list_scheduled_calls", nil)["data"], 1)
	w.must("get_scheduled_call", later)
	w.must("update_scheduled_call", map[string]any{"id": scheduled["id"], "instruction": "Be kind."})
	w.must("delete_scheduled_call", later)
	w.must("delete_assistant", assistant)
	w.must("list_events", map[string]any{"after": 0})
	w.must("get_limits", nil)
}

// contacts makes one and returns its id.
func (w *walk) contacts() any {
	made := w.must("create_contact", map[string]any{"full_name": "Anna", "phone_number": "+31612345679"})
	one := map[string]any{"contact_id": made["contact_id"]}
	require.Len(w.t, w.must("list_contacts", map[string]any{"full_name": "Anna"})["data"], 1)
	w.must("get_contact", one)
	require.Equal(w.t, "Bea", w.must("update_contact", map[string]any{"contact_id": made["contact_id"],
		"full_name": "Bea"})["full_name"])
	return made["contact_id"]
}

func (w *walk) knowledge() {
	made := w.must("create_knowledge_document", map[string]any{"title": "Hours", "text": "We are open from nine to five."})
	require.Len(w.t, w.must("list_knowledge_documents", nil)["data"], 1)
	w.must("search_knowledge", map[string]any{"query": "when are you open"})
	w.must("delete_knowledge_document", map[string]any{"id": made["id"]})
}

// TestRefusals are results that a model reads, and say what is wrong.
func TestRefusals(t *testing.T) {
	t.Parallel()

	for name, transport := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, url := serve(t)
			reader, _ := dbfactory.APIKey(t, server.Tx, server.Account.ID, func(key *dbsqlc.APIKeyInsertParams) { key.Scope = "read" })
			agent, err := connect(t, transport(t, url, reader))
			require.NoError(t, err)
			agent.must(t, "list_assistants", nil)
			for tool, test := range map[string]struct {
				arguments map[string]any
				says      string
			}{
				"create_assistant": {map[string]any{"assistant_name": "x"}, "403 insufficient_scope"},
				"list_calls":       {map[string]any{"limit": "many"}, "limit"},
				"get_call":         {map[string]any{}, "call_id is required"},
				"list_contacts":    {map[string]any{"colour": "red"}, "colour is not an input"},
				"get_contact":      {map[string]any{"contact_id": "0192f0c1-7a55-7c3e-9d2b-1f6a0c8e4b11"}, "404 not_found"},
				"follow_call":      {map[string]any{"call_id": "0192f0c1-7a55-7c3e-9d2b-1f6a0c8e4b11", "wait_seconds": 600}, "wait_seconds"},
			} {
				text, failed := agent.use(t, tool, test.arguments)
				require.True(t, failed, "%s: %s", tool, text)
				require.Contains(t, text, test.says)
			}
			_, err = agent.CallTool(t.Context(), &mcp.CallToolParams{Name: "delete_everything"})
			require.Error(t, err)
		})
	}
}

// TestAnothersRecords are not there for an agent of another account.
func TestAnothersRecords(t *testing.T) {
	t.Parallel()

	server, url := serve(t)
	foreign, _ := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	assistant := dbfactory.Assistant(t, server.Tx, foreign.ID)
	agent, err := connect(t, transports["HTTP"](t, url, server.Key))
	require.NoError(t, err)
	text, failed := agent.use(t, "delete_assistant", map[string]any{"assistant_id": assistant.ID.String()})
	require.True(t, failed)
	require.Contains(t, text, "404 not_found")
}

// TestWhoMayConnect refuses requests without a key, those of pages of other origins, and names that a page had rebound.
func TestWhoMayConnect(t *testing.T) {
	t.Parallel()

	server, url := serve(t)
	expired, _ := dbfactory.APIKey(t, server.Tx, server.Account.ID,
		func(key *dbsqlc.APIKeyInsertParams) { key.ExpiresAt = new(time.Now().Add(-time.Minute)) })
	body := `{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`
	for name, test := range map[string]struct {
		key     string
		headers map[string]string
		status  int
	}{
		"Key":     {server.Key, nil, http.StatusOK},
		"NoKey":   {"", nil, http.StatusUnauthorized},
		"Expired": {expired, nil, http.StatusUnauthorized},
		"OtherOrigin": {server.Key, map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
			http.StatusForbidden},
		"OldBrowser": {server.Key, map[string]string{"Origin": "https://evil.example"}, http.StatusForbidden},
		"Rebound":    {server.Key, map[string]string{"Host": "evil.example"}, http.StatusForbidden},
		"NoJSON":     {server.Key, map[string]string{"Content-Type": "text/plain"}, http.StatusUnsupportedMediaType},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/mcp", strings.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		response, err := withKey{test.key, test.headers}.RoundTrip(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, test.status, response.StatusCode, name)
		require.NotEmpty(t, response.Header.Get("X-Request-Id"), name)
	}
	_, err := connect(t, transports["HTTP"](t, url, expired))
	require.Error(t, err)
}

// TestRateLimit holds for agents as for everybody: a request to the tools counts, and what a tool does.
func TestRateLimit(t *testing.T) {
	t.Parallel()

	server, url := serve(t)
	agent, err := connect(t, transports["HTTP"](t, url, server.Key))
	require.NoError(t, err)
	_, err = server.Tx.Exec(t.Context(), "UPDATE api_key SET requests_per_minute = 1")
	require.NoError(t, err)
	_, err = agent.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_limits"})
	require.Error(t, err)
}
