package questions_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/questions"
	"github.com/callwright/callwright/providers/all"
)

// offer is of a deployment with one language model.
var offer = all.Offer{LLM: []string{"openai"}}

func TestResolveAssistant(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	f.Limit(t, 100, 0)
	number, linked := dbfactory.Number(t, f.Tx, f.Account.ID), dbfactory.Assistant(t, f.Tx, f.Account.ID)
	dbfactory.Link(t, f.Tx, linked, number)
	other := dbfactory.Assistant(t, f.Tx, f.Account.ID,
		func(a *dbsqlc.AssistantInsertParams) { a.Name, a.Config.FirstMessage = "Bea", "Bea speaking." })
	foreign := dbfactory.Assistant(t, f.Tx, dbfactory.Account(t, f.Tx).ID)

	var answer struct {
		status int
		body   string
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		question, _ := io.ReadAll(r.Body)
		if answer.status == 0 {
			answer.status = http.StatusOK
		}
		w.WriteHeader(answer.status)
		fmt.Fprintf(w, answer.body, question)
	}))
	t.Cleanup(server.Close)
	received := func() *calls.Received {
		ring := &calls.Ring{CallID: dbfactory.ID(t), ProcessID: "process", SIPCallID: dbfactory.ID(t).String(), Number: number.Number,
			Caller: "+31612345600"}
		arrival, err := calls.Route(t.Context(), f.Tx, ring)
		require.NoError(t, err)
		got, err := calls.Receive(t.Context(), f.Tx, arrival)
		require.NoError(t, err)
		return got[arrival]
	}
	require.Equal(t, uuid.Nil, received().Request, "nobody wants to be asked")
	_, err := dbsqlc.New().WebhookEndpointPut(t.Context(), f.Tx, &dbsqlc.WebhookEndpointPutParams{
		AccountID: f.Account.ID, URL: &server.URL, Events: []string{callstate.EventAssistantRequest}, Enabled: true,
	})
	require.NoError(t, err)

	for name, test := range map[string]struct {
		status                    int
		body                      string
		assistant, message, words string
		fails                     bool
		to                        *jsonb.ToolDestination
	}{
		"Nothing": {0, ``, "Ava", "Hello.", "", false, nil},
		"Empty":   {0, `{}`, "Ava", "Hello.", "", false, nil},
		"Another": {0, `{"assistantId": "` + other.ID.String() + `"}`, "Bea", "Bea speaking.", "", false, nil},
		"Wrapped": {0, `{"messageResponse": {"assistantId": "` + other.ID.String() + `"}}`, "Bea", "Bea speaking.", "", false,
			nil},
		"Overridden": {0, `{"assistantId": "` + other.ID.String() +
			`", "assistantOverrides": {"firstMessage": "Hi {{name}}.", "variableValues": {"name": "Jan"}, "squad": 1}}`, "Bea",
			"Hi {{name}}.", "", false, nil},
		"OfItsOwn": {0, `{"assistant": {"first_message": "Good day.", "model": {"provider": "openai"}, "name": "x"}}`, "x",
			"Good day.", "", false, nil},
		"NoSuchVendor": {0, `{"assistant": {"firstMessage": "x", "model": {"provider": "vapi"}}}`, "Ava", "Hello.", "", true, nil},
		"Words":        {0, `{"error": "We are closed."}`, "Ava", "Hello.", "We are closed.", false, nil},
		"Forwarded": {0, `{"destination": {"type": "number", "number": "+31 20 123 4567", "message": "One moment."}}`, "Ava",
			"Hello.", "", false, &jsonb.ToolDestination{Name: "+31201234567", Target: "+31201234567", Message: "One moment."}},
		"ToSIP": {0, `{"destination": {"type": "sip", "sipUri": "sip:desk@example.com"}}`, "Ava", "Hello.", "", false,
			&jsonb.ToolDestination{Name: "sip:desk@example.com", Target: "sip:desk@example.com"}},
		"ToNobody":     {0, `{"destination": {"type": "number", "number": "12"}}`, "Ava", "Hello.", "", true, nil},
		"ToAHeader":    {0, `{"destination": {"type": "sip", "sipUri": "sip:a@b>\r\nX: y"}}`, "Ava", "Hello.", "", true, nil},
		"Nowhere":      {0, `{"destination": {}}`, "Ava", "Hello.", "", true, nil},
		"Foreign":      {0, `{"assistantId": "` + foreign.ID.String() + `"}`, "Ava", "Hello.", "", true, nil},
		"Unknown":      {0, `{"assistantId": "x"}`, "Ava", "Hello.", "", true, nil},
		"WrongTypes":   {0, `{"assistant": {"firstMessage": 7}}`, "Ava", "Hello.", "", true, nil},
		"NUL":          {0, `{"assistant": {"firstMessage": "a\u0000b"}}`, "Ava", "Hello.", "", true, nil},
		"Garbage":      {0, `<html>`, "Ava", "Hello.", "", true, nil},
		"ServerBroken": {500, `{"assistantId": "` + other.ID.String() + `"}`, "Ava", "Hello.", "", true, nil},
	} {
		answer.status, answer.body = test.status, test.body+"%.0s"
		call := received()
		require.NotEqual(t, uuid.Nil, call.Request, name)
		choice, err := questions.ResolveAssistant(t.Context(), f.Sender(), offer, "process", call)
		require.Equal(t, test.fails, err != nil, "%s: %v", name, err)
		require.Equal(t, test.assistant, choice.Call.AssistantName, name)
		require.Equal(t, test.message, choice.Call.AssistantConfig.FirstMessage, name)
		require.Equal(t, test.words, choice.Speech, name)
		require.Equal(t, test.to, choice.Destination, name)
		require.Equal(t, name == "Overridden", choice.Call.Variables["name"] == "Jan", name)

		var delivery, logged string
		var attempts int
		require.NoError(t, f.Tx.QueryRow(t.Context(), `SELECT event.delivery, event.attempts, delivery_attempt.answer FROM event
			JOIN delivery_attempt ON delivery_attempt.event_id = event.id WHERE event.id = $1`, call.Request).Scan(&delivery, &attempts,
			&logged))
		require.Equal(t, map[bool]string{true: "dead", false: "delivered"}[test.status == 500], delivery, name)
		require.Equal(t, 1, attempts)
		require.Equal(t, test.body, logged)
		require.NotContains(t, f.JobKinds(t), "deliver_event", "it is asked once")
	}

	moved := received()
	f.End(t, moved.Call.ID, "process")
	answer.status, answer.body = 0, "{}%.0s"
	_, err = questions.ResolveAssistant(t.Context(), f.Sender(), offer, "process", moved)
	require.ErrorIs(t, err, calls.ErrConflict)
}

// A custom number without an assistant is answered by whom the account's webhook names.
func TestResolveWithoutAnAssistant(t *testing.T) {
	t.Parallel()

	f := jobstest.New(t)
	f.Limit(t, 100, 0)
	number := dbfactory.Number(t, f.Tx, f.Account.ID)
	stored := dbfactory.Assistant(t, f.Tx, f.Account.ID, func(a *dbsqlc.AssistantInsertParams) { a.Name = "Bea" })
	simulated := dbfactory.Assistant(t, f.Tx, f.Account.ID, func(a *dbsqlc.AssistantInsertParams) { a.Test = true })
	answer := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) }))
	t.Cleanup(server.Close)
	ring := func() *calls.Ring {
		return &calls.Ring{CallID: dbfactory.ID(t), ProcessID: "process", SIPCallID: dbfactory.ID(t).String(), Number: number.Number,
			Caller: "+31612345600"}
	}
	takes := func(types ...string) {
		_, err := dbsqlc.New().WebhookEndpointPut(t.Context(), f.Tx, &dbsqlc.WebhookEndpointPutParams{
			AccountID: f.Account.ID, URL: &server.URL, Events: types, Enabled: true,
		})
		require.NoError(t, err)
	}
	takes(callstate.EventStatusUpdate)
	_, err := calls.Route(t.Context(), f.Tx, ring())
	require.ErrorIs(t, err, calls.ErrNoAssistant, "nobody wants to be asked")
	takes(callstate.EventStatusUpdate, callstate.EventAssistantRequest)

	made := `{"assistant": {"name": "Cas", "firstMessage": "Good day."}}`
	for name, test := range map[string]struct {
		body, assistant, words string
		configured, forwarded  bool
		fails                  error
	}{
		"Nobody":       {body: `{}`},
		"Overrides":    {body: `{"assistantOverrides": {"firstMessage": "x"}}`},
		"Stored":       {body: `{"assistantId": "` + stored.ID.String() + `"}`, assistant: "Bea", configured: true},
		"OfATestKey":   {body: `{"assistantId": "` + simulated.ID.String() + `"}`, fails: questions.ErrInvalidAnswer},
		"MadeUp":       {body: made, assistant: "Cas", configured: true},
		"NoSuchVendor": {body: `{"assistant": {"model": {"provider": "vapi"}}}`, fails: questions.ErrInvalidAnswer},
		"Words":        {body: `{"error": "We are closed."}`, words: "We are closed.", configured: true},
		"Forwarded":    {body: `{"destination": {"type": "number", "number": "+31201234567"}}`, forwarded: true, configured: true},
		"Garbage":      {body: `<html>`, fails: questions.ErrInvalidAnswer},
	} {
		arrival, err := calls.Route(t.Context(), f.Tx, ring())
		require.NoError(t, err, name)
		got, err := calls.Receive(t.Context(), f.Tx, arrival)
		require.NoError(t, err, name)
		received := got[arrival]
		require.Nil(t, received.Call.AssistantID, name)
		require.Empty(t, received.Call.AssistantName, name)
		require.NotEqual(t, uuid.Nil, received.Request, name)
		answer = test.body
		choice, err := questions.ResolveAssistant(t.Context(), f.Sender(), offer, "process", received)
		require.ErrorIs(t, err, test.fails, name)
		require.Equal(t, test.words, choice.Speech, name)
		require.Equal(t, test.forwarded, choice.Destination != nil, name)
		row := f.Call(t, received.Call.ID)
		require.Equal(t, test.assistant, row.AssistantName, name)
		require.Equal(t, test.configured, row.AssistantConfig != nil, name)
		require.Equal(t, row.AssistantConfig, choice.Call.AssistantConfig, name)
		require.Equal(t, name == "Stored", row.AssistantID != nil, name)

		f.End(t, row.ID, "process")
		total, err := dbsqlc.New().CallCount(t.Context(), f.Tx,
			&dbsqlc.CallCountParams{AccountID: f.Account.ID, Statuses: []string{f.Call(t, row.ID).Status},
				Before: time.Now().AddDate(0, 0, 2)})
		require.NoError(t, err)
		require.Positive(t, total, name)
	}
}
