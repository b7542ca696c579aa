package assistant

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/turn"
)

// liveCall returns a call that a process holds, and what makes its tools there.
func liveCall(t *testing.T) (pgx.Tx, *Tools, *dbsqlc.Call) {
	t.Helper()
	tx := dbtest.Tx(t)
	account := dbfactory.Account(t, tx)
	assistant := dbfactory.LinkedAssistant(t, tx, account.ID)
	contact := dbfactory.Contact(t, tx, account.ID)
	call, err := calls.InsertDirect(t.Context(), tx, &calls.DirectCall{
		ID: dbfactory.ID(t), AccountID: account.ID, AssistantID: assistant.ID, ContactID: contact.ID, CustomData: json.RawMessage(`{}`),
	})
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `UPDATE call SET status = 'dialing', worker_id = 'process' WHERE id = $1`, call.ID)
	require.NoError(t, err)
	client := hook.New(hook.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(client.Close)
	return tx, &Tools{
		ProcessID: "process", Logger: slog.New(slog.DiscardHandler), Live: t.Context(), Asking: &sync.WaitGroup{},
		Sender: &events.Sender{DB: tx, Hook: client, Now: time.Now, Seal: jobstest.Unsealed{}},
	}, call
}

func TestFunctions(t *testing.T) {
	t.Parallel()

	slow := make(chan struct{}) // closed when the caller was asked for patience
	var answered chan struct{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			<-slow
			fmt.Fprint(w, `{"results": [{"toolCallId": "1", "result": "booked"}]}`)
		case "/full":
			fmt.Fprint(w, `{"results": [{"toolCallId": "1", "error": "nothing is free"}]}`)
		case "/speaks":
			fmt.Fprint(w,
				`{"results": [{"toolCallId": "1", "result": "booked", "message": {"type": "request-complete", "content": "See you, {{contact_name}}."}}]}`)
		case "/async":
			fmt.Fprint(w, `{}`)
			close(answered)
		case "/broken":
			http.Error(w, "oops", http.StatusInternalServerError)
		default:
			fmt.Fprint(w, `{"results": [{"toolCallId": "1", "result": "booked"}]}`)
		}
	}))
	t.Cleanup(server.Close)
	tx, maker, call := liveCall(t)

	run := func(path, options string) (voice.ToolResult, []string) {
		config := &jsonb.Assistant{}
		require.NoError(t,
			json.Unmarshal(fmt.Appendf(nil,
				`{"model": {"tools": [{"type": "function", "function": {"name": "book"}, "server": {"url": %q}%s}]}}`, server.URL+path,
				options), config))
		asked := *call
		asked.AssistantConfig = config
		var said []string
		result := maker.Of(&asked).Call(t.Context(), llm.ToolCall{ID: "1", Name: "book"}, func(words string) {
			said = append(said, words)
			if words == "Still looking." {
				close(slow)
			}
		})
		maker.Asking.Wait()
		return result, said
	}
	messages := func(text string) string { return `, "messages": [` + text + `]` }

	result, said := run("/", "")
	require.Equal(t, voice.ToolResult{Content: "booked"}, result)
	require.Empty(t, said)
	result, said = run("/slow", messages(`{"type": "request-start", "content": "Let me see, {{contact_name}}."},
		{"type": "request-response-delayed", "content": "Never.", "timingMilliseconds": 60000}, {"type": "request-response-delayed", "content": "Still looking.", "timingMilliseconds": 100}`))
	require.Equal(t, voice.ToolResult{Content: "booked"}, result)
	require.Equal(t, []string{"Let me see, Jan Jansen.", "Still looking."}, said)
	result, _ = run("/", messages(`{"type": "request-complete", "content": "Done.", "endCallAfterSpokenEnabled": true}`))
	require.Equal(t, voice.ToolResult{Content: "booked", Say: "Done.", Then: turn.End{Reason: turn.AssistantEndedCallAfterMessage}},
		result)
	result, _ = run("/", messages(`{"type": "request-complete", "content": "Be brief.", "role": "system"}`))
	require.Equal(t, voice.ToolResult{Content: "booked\n\nBe brief."}, result)
	result, _ = run("/speaks", messages(`{"type": "request-complete", "content": "Never."}`))
	require.Equal(t, "See you, Jan Jansen.", result.Say)
	result, _ = run("/full",
		messages(`{"type": "request-failed", "content": "Sorry."}, {"type": "request-complete", "content": "Never."}`))
	require.EqualError(t, result.Err, "nothing is free")
	require.Equal(t, "nothing is free", result.Content)
	require.Equal(t, "Sorry.", result.Say)
	result, _ = run("/broken", "")
	require.Error(t, result.Err)
	require.Equal(t, "The function failed: the server answered 500.", result.Content)
	answered = make(chan struct{})
	result, _ = run("/async", `, "async": true`)
	require.NoError(t, result.Err)
	require.Contains(t, result.Content, "will not be known")
	<-answered

	var logged int
	require.NoError(t,
		tx.QueryRow(t.Context(),
			`SELECT count(*) FROM event JOIN delivery_attempt ON delivery_attempt.event_id = event.id WHERE event.call_id = $1`,
			call.ID).Scan(&logged))
	require.Equal(t, 8, logged)
}

// What an assistant's server does stands before our own tools of the same name.
func TestFunctionsBesideOurTools(t *testing.T) {
	t.Parallel()

	maker := &Tools{}
	config := &jsonb.Assistant{KnowledgeBaseEnabled: true,
		Functions: `[{"name": "book", "description": "Books."}, {"name": "query_knowledge_base"}]`}
	tools := maker.Of(&dbsqlc.Call{AssistantConfig: config})
	var names []string
	for _, tool := range tools.List() {
		names = append(names, tool.Name)
	}
	require.Equal(t, []string{"book", "query_knowledge_base"}, names)
	require.JSONEq(t, `{"type":"object","properties":{}}`, string(tools.List()[1].Parameters))
	require.Error(t, tools.Call(t.Context(), llm.ToolCall{Name: "nothing"}, nil).Err)

	require.Nil(t, maker.Of(&dbsqlc.Call{AssistantConfig: &jsonb.Assistant{}}))
	query := &jsonb.Assistant{Model: jsonb.Object{"tools": []any{map[string]any{"type": "query"}}}}
	require.Len(t, maker.Of(&dbsqlc.Call{AssistantConfig: query}).List(), 1)
}

func TestReasonsForTheModel(t *testing.T) {
	t.Parallel()

	for want, err := range map[string]error{
		"the server did not answer in time.":   context.DeadlineExceeded,
		"it could not be run.":                 fmt.Errorf("insert events: connection refused"),
		"the arguments are not a JSON object.": events.BadAnswer("the arguments are not a JSON object"),
		"the server gave no result, twice.":    fmt.Errorf("twice: %w", events.BadAnswer("the server gave no result, twice")),
	} {
		require.Equal(t, want, reasonFor(err))
	}
}
