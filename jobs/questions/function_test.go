package questions_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/questions"
	"github.com/callwright/callwright/providers/fault"
)

// functionServer answers tool calls with what a test wants, and keeps the last question.
type functionServer struct {
	*httptest.Server
	status int
	body   string
	hang   bool
	header http.Header
	asked  []byte
}

func newFunctionServer(t *testing.T) *functionServer {
	t.Helper()
	s := &functionServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked, _ = io.ReadAll(r.Body)
		s.header = r.Header
		if s.hang {
			<-r.Context().Done()
			return
		}
		w.WriteHeader(s.status)
		fmt.Fprint(w, s.body)
	}))
	t.Cleanup(s.Close)
	return s
}

// addLiveCall is one that a process holds.
func addLiveCall(t *testing.T, f *jobstest.Fixture) *dbsqlc.Call {
	t.Helper()
	calls := f.Claim(t, f.QueuedCall(t).ID, "process")
	require.Len(t, calls, 1)
	return calls[0]
}

// function is the first function of a configuration.
func function(t *testing.T, config string) jsonb.Tool {
	t.Helper()
	assistant := jsonb.Assistant{}
	require.NoError(t, json.Unmarshal([]byte(config), &assistant))
	tools := assistant.Tools(func(path, why string) { t.Fatal(path, why) })
	return tools[0]
}

func TestRunFunction(t *testing.T) {
	t.Parallel()

	f, server := jobstest.New(t), newFunctionServer(t)
	f.Webhook(t, &server.URL, callstate.EventEndOfCallReport)
	call := addLiveCall(t, f)
	tool := function(t, `{"functions": "[{\"name\": \"book\"}]"}`)
	long := strings.Repeat("a", 64<<10)
	for name, test := range map[string]struct {
		status int
		body   string
		text   string // or:
		fails  string
		failed bool
	}{
		"Result": {200, `{"results": [{"toolCallId": "1", "name": "book", "result": "Monday at nine."}]}`, "Monday at nine.",
			"", false},
		"Created": {201, `{"results": [{"toolCallId": "1", "result": "ok"}]}`, "ok", "", false},
		"Among others": {200, `{"results": [{"toolCallId": "2", "result": "x"}, {"toolCallId": "1", "result": "y"}]}`, "y", "",
			false},
		"Object": {200, `{"results": [{"toolCallId": "1", "result": {"day": "monday", "n": 1}}]}`, `{"day":"monday","n":1}`,
			"", false},
		"Nothing free":    {200, `{"results": [{"toolCallId": "1", "error": "No time is free."}]}`, "No time is free.", "", true},
		"Without id":      {200, `{"results": [{"result": "ok"}]}`, "ok", "", false},
		"Bare":            {200, `{"result": "ok"}`, "ok", "", false},
		"Wrapped":         {200, `{"messageResponse": {"results": [{"toolCallId": "1", "result": "ok"}]}}`, "ok", "", false},
		"Text":            {200, `"Monday at nine."`, "Monday at nine.", "", false},
		"List":            {200, ` [1,  2] `, "[1,2]", "", false},
		"Other object":    {200, `{"day": "monday"}`, `{"day":"monday"}`, "", false},
		"Other results":   {200, `{"results": "monday"}`, `{"results":"monday"}`, "", false},
		"Another's":       {200, `{"results": [{"toolCallId": "2", "result": "x"}]}`, "", "another tool call", false},
		"Another's, bare": {200, `{"toolCallId": "2", "result": "x"}`, "", "another tool call", false},
		"No results":      {200, `{"results": []}`, "", "another tool call", false},
		"Null":            {200, `{"results": [{"toolCallId": "1", "result": null}]}`, "", "neither a result nor an error", false},
		"Null alone":      {200, `null`, "", "neither a result nor an error", false},
		"Empty":           {200, ``, "", "neither a result nor an error", false},
		"No JSON":         {200, `<html>`, "", "not JSON", false},
		"Too long":        {200, `"` + long + `"`, "", "longer than 64 KiB", false},
		"Broken":          {500, `{"results": [{"toolCallId": "1", "result": "ok"}]}`, "", "answered 500", false},
		"Redirected":      {302, ``, "", "answered 302", false},
	} {
		server.status, server.body = test.status, test.body
		answer, err := questions.RunFunction(t.Context(), f.Sender(),
			questions.FunctionCall{AccountID: f.Account.ID, CallID: call.ID, ProcessID: "process", ID: "1", Arguments: `{"day": "monday"}`,
				Tool: tool})
		require.Equal(t, test.text, answer.Text, name)
		require.Equal(t, test.failed, answer.Failed, name)
		if test.fails != "" {
			require.ErrorContains(t, err, test.fails, name)
			require.ErrorAs(t, err, new(events.BadAnswer), name)
		} else {
			require.NoError(t, err, name)
		}
	}

	rows, err := f.Tx.Query(t.Context(),
		`SELECT event.delivery, delivery_attempt.status_code FROM event JOIN delivery_attempt ON delivery_attempt.event_id = event.id
		WHERE event.type = 'tool-calls' AND event.call_id = $1`, call.ID)
	require.NoError(t, err)
	seen := map[string]int{}
	for rows.Next() {
		var delivery string
		var status int
		require.NoError(t, rows.Scan(&delivery, &status))
		seen[delivery]++
		require.Equal(t, status == 200 || status == 201, delivery == "delivered")
	}
	require.Equal(t, map[string]int{"delivered": 20, "dead": 2}, seen)
	require.NotContains(t, f.JobKinds(t), "deliver_event", "it is asked once")
}

func TestToolCallsMessage(t *testing.T) {
	t.Parallel()

	f, server := jobstest.New(t), newFunctionServer(t)
	server.status, server.body = 200,
		`{"results": [{"toolCallId": "1", "result": "ok", "message": {"type": "request-complete", "content": "Done."}}]}`
	f.Webhook(t, new("https://nobody.example"), callstate.EventStatusUpdate)
	call := addLiveCall(t, f)
	tool := function(t,
		fmt.Sprintf(`{"model": {"tools": [{"type": "function", "function": {"name": "book", "description": "Books.", "parameters": {"type": "object"}},
		"server": {"url": %q, "timeoutSeconds": 3, "headers": {"X-Key": "secret"}}, "messages": [{"type": "request-start", "content": "Let me see."}]}]}}`, server.URL))
	answer, err := questions.RunFunction(t.Context(), f.Sender(), questions.FunctionCall{
		AccountID: f.Account.ID, CallID: call.ID, ProcessID: "process", ID: "1",
		Arguments: `{"day": "mon\u0000day", "at": 9007199254740993}`, Tool: tool,
	})
	require.NoError(t, err)
	require.Equal(t, &jsonb.ToolMessage{When: "request-complete", Content: "Done."}, answer.Message)

	verifier, err := standardwebhooks.NewWebhook(dbfactory.WebhookSecret)
	require.NoError(t, err)
	require.NoError(t, verifier.Verify(server.asked, server.header))
	require.Equal(t, "secret", server.header.Get("X-Key"))
	var posted struct{ Message map[string]any }
	require.NoError(t, json.Unmarshal(server.asked, &posted))
	message := posted.Message
	require.Equal(t, "tool-calls", message["type"])
	require.Equal(t, call.ID.String(), message["call"].(map[string]any)["id"])
	require.Equal(t, "Ava", message["assistant"].(map[string]any)["name"])
	require.NotEmpty(t, message["eventId"])
	require.InDelta(t, float64(time.Now().UnixMilli()), message["timestamp"], 60_000)
	arguments := `{"at":9007199254740993,"day":"mon�day"}`
	item := fmt.Sprintf(`{"id": "1", "type": "function", "name": "book", "parameters": %s, "function": {"name": "book", "arguments": %q}}`, arguments, arguments)
	for _, list := range []string{"toolCallList", "toolCalls"} {
		text, err := json.Marshal(message[list])
		require.NoError(t, err)
		require.JSONEq(t, "["+item+"]", string(text))
	}
	text, err := json.Marshal(message["toolWithToolCallList"])
	require.NoError(t, err)
	require.JSONEq(t,
		fmt.Sprintf(`[{"type": "function", "async": false, "function": {"name": "book", "description": "Books.", "parameters": {"type": "object"}},
		"server": {"url": %q}, "messages": [{"type": "request-start", "content": "Let me see."}], "toolCall": %s}]`, server.URL, item),
		string(text))
	require.NotContains(t, string(server.asked), "secret")
}

func TestFunctionsThatCannotBeAsked(t *testing.T) {
	t.Parallel()

	f, server := jobstest.New(t), newFunctionServer(t)
	call := addLiveCall(t, f)
	tool := function(t, `{"functions": "[{\"name\": \"book\"}]"}`)
	asked := questions.FunctionCall{AccountID: f.Account.ID, CallID: call.ID, ProcessID: "process", ID: "1", Arguments: "{}", Tool: tool}

	_, err := questions.RunFunction(t.Context(), f.Sender(), asked)
	require.ErrorIs(t, err, events.ErrNoServer)
	for _, arguments := range []string{"[]", "{", "7", `{"a": 1e999}`} {
		wrong := asked
		wrong.Arguments = arguments
		_, err := questions.RunFunction(t.Context(), f.Sender(), wrong)
		require.ErrorIs(t, err, questions.ErrArguments, arguments)
	}
	foreign := asked
	foreign.AccountID = dbfactory.ID(t)
	_, err = questions.RunFunction(t.Context(), f.Sender(), foreign)
	require.Error(t, err, "another account's call")
	stolen := asked
	stolen.ProcessID = "another"
	_, err = questions.RunFunction(t.Context(), f.Sender(), stolen)
	require.ErrorIs(t, err, calls.ErrConflict)

	server.hang = true
	slow := asked
	slow.Tool.Server = &jsonb.ToolServer{URL: server.URL, Timeout: 50 * time.Millisecond}
	_, err = questions.RunFunction(t.Context(), f.Sender(), slow)
	kind, _ := fault.Of(err)
	require.Equal(t, fault.Timeout, kind)

	slow.Tool.Server = &jsonb.ToolServer{URL: "http://169.254.169.254/latest", Timeout: time.Second}
	_, err = questions.RunFunction(t.Context(), f.Sender(), slow)
	kind, _ = fault.Of(err)
	require.Equal(t, fault.Refused, kind, "no address within")

	f.End(t, call.ID, "process")
	_, err = questions.RunFunction(t.Context(), f.Sender(), asked)
	require.ErrorIs(t, err, calls.ErrConflict, "the call is over")
}

// A function that ran is not run again by sending its question again.
func TestQuestionsAreNotSentAgain(t *testing.T) {
	t.Parallel()

	f, server := jobstest.New(t), newFunctionServer(t)
	server.status, server.body = 200, `{"result": "ok"}`
	f.Webhook(t, &server.URL, callstate.EventToolCalls)
	call := addLiveCall(t, f)
	_, err := questions.RunFunction(t.Context(), f.Sender(), questions.FunctionCall{
		AccountID: f.Account.ID, CallID: call.ID, ProcessID: "process", ID: "1",
		Tool: function(t, `{"functions": "[{\"name\": \"book\"}]"}`),
	})
	require.NoError(t, err)
	asked, err := dbsqlc.New().EventListByCall(t.Context(), f.Tx,
		&dbsqlc.EventListByCallParams{AccountID: f.Account.ID, CallID: call.ID, Type: callstate.EventToolCalls, Max: 10})
	require.NoError(t, err)
	require.Len(t, asked, 1)
	require.Equal(t, "delivered", asked[0].Delivery)
	_, err = events.Redeliver(t.Context(), f.Tx, f.Inserter, f.Account.ID, asked[0].ID)
	require.Error(t, err)
	count, err := events.ReplayCall(t.Context(), f.Tx, f.Inserter, f.Account.ID, call.ID)
	require.NoError(t, err)
	require.Zero(t, count)
	count, err = events.ReplayTime(t.Context(), f.Tx, f.Inserter, f.Account.ID, time.Now().Add(-time.Hour),
		time.Now().Add(time.Hour), 10)
	require.NoError(t, err)
	require.Zero(t, count)
}
