package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
)

// liveCall is a call in a state, as a worker of that name would hold it.
func liveCall(t *testing.T, server *apitest.Server, status string) string {
	t.Helper()
	assistant := dbfactory.LinkedAssistant(t, server.Tx, server.Account.ID)
	made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, "/v1/calls/direct",
		object{"assistant_id": assistant.ID, "contact_phone_number": "+31201234567"})
	if status != "queued" {
		_, err := server.Tx.Exec(t.Context(), "UPDATE call SET status = $2, worker_id = 'worker' WHERE id = $1", made["call_id"],
			status)
		require.NoError(t, err)
	}
	return "/v1/calls/" + made["call_id"].(string)
}

func TestCallMessages(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	live := liveCall(t, server, "in-progress")
	for name, body := range map[string]string{
		"Say":        `{"type": "say", "content": "Hello.", "interrupt": true, "end_call_after": true}`,
		"AddMessage": `{"type": "add-message", "message": {"role": "system", "content": "They paid."}, "trigger_response": true}`,
		"EndCall":    `{"type": "end-call"}`,
		"Transfer":   `{"type": "transfer", "phone_number": "+31 20 123 4567"}`,
	} {
		t.Run(name, func(t *testing.T) {
			told := apitest.Want[object](t, server, http.StatusAccepted, http.MethodPost, live+"/messages", body)
			require.Equal(t, "pending", told["status"])
			require.NotEmpty(t, told["command_id"])
		})
	}
	pending, err := dbsqlc.New().CallCommandListPending(t.Context(), server.Tx,
		&dbsqlc.CallCommandListPendingParams{WorkerID: "worker"})
	require.NoError(t, err)
	require.Len(t, pending, 4)
	for _, command := range pending {
		if command.Type == "transfer" {
			require.Equal(t, "+31201234567", command.Body.PhoneNumber)
		}
	}

	for name, test := range map[string]struct {
		body   string
		fields []string
	}{
		"NoType":       {`{}`, []string{"type"}},
		"OtherType":    {`{"type": "sing"}`, []string{"type"}},
		"NothingToSay": {`{"type": "say"}`, []string{"content"}},
		"Silence":      {`{"type": "say", "content": ""}`, []string{"content"}},
		"NUL":          {`{"type": "say", "content": "a\u0000"}`, []string{"content"}},
		"OthersFields": {`{"type": "end-call", "content": "Bye.", "phone_number": "+31201234567", "trigger_response": false}`,
			[]string{"content", "phone_number", "trigger_response"}},
		"NoMessage": {`{"type": "add-message", "interrupt": true}`, []string{"message", "interrupt"}},
		"MessageIsNothing": {`{"type": "add-message", "message": {"role": "dog", "content": ""}}`,
			[]string{"message.role", "message.content"}},
		"NoNumber":  {`{"type": "transfer"}`, []string{"phone_number"}},
		"BadNumber": {`{"type": "transfer", "phone_number": "12"}`, []string{"phone_number"}},
	} {
		t.Run(name, func(t *testing.T) {
			details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, live+"/messages", test.body)
			require.Len(t, details, len(test.fields), details)
			for _, field := range test.fields {
				require.Contains(t, details, field)
			}
		})
	}

	t.Run("Repeated", func(t *testing.T) {
		const body = `{"type": "say", "content": "Once."}`
		first := apitest.Want[object](t, server, http.StatusAccepted, http.MethodPost, live+"/messages", body, "Idempotency-Key",
			"say-1")
		require.Equal(t, first, apitest.Want[object](t, server, http.StatusAccepted, http.MethodPost, live+"/messages", body,
			"Idempotency-Key", "say-1"))
	})
	for _, status := range []string{"queued", "completed"} {
		path := liveCall(t, server, status)
		if status == "completed" {
			_, err := server.Tx.Exec(t.Context(), "UPDATE call SET ended_at = now() WHERE id = $1", path[len("/v1/calls/"):])
			require.NoError(t, err)
		}
		server.WantError(t, http.StatusConflict, "conflict", http.MethodPost, path+"/messages", `{"type": "end-call"}`)
	}
}

func TestCallEnd(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	for _, status := range []string{"dialing", "ringing", "in-progress", "forwarding"} {
		told := apitest.Want[object](t, server, http.StatusAccepted, http.MethodPost, liveCall(t, server, status)+"/end", nil)
		require.Equal(t, "end-call", told["type"])
		require.Equal(t, "pending", told["status"])
	}
	queued := liveCall(t, server, "queued")
	told := apitest.Want[object](t, server, http.StatusAccepted, http.MethodPost, queued+"/end", nil)
	require.Equal(t, "done", told["status"])
	shown := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, queued, nil)
	require.Equal(t, "canceled", shown["call_status"])
	require.Equal(t, "manually-canceled", shown["ended_reason"])
	server.WantError(t, http.StatusConflict, "conflict", http.MethodPost, queued+"/end", nil)
}

// Another account's calls are not found, and do not change.
func TestCallCommandsOfOtherAccounts(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	foreign := dbfactory.Account(t, server.Tx)
	for _, status := range []string{"queued", "in-progress"} {
		path := liveCall(t, server, status)
		text, _ := dbfactory.APIKey(t, server.Tx, foreign.ID)
		auth := []string{"Authorization", "Bearer " + text}
		server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, path+"/end", nil, auth...)
		server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, path+"/messages", `{"type": "end-call"}`, auth...)
		require.Equal(t, status, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil)["call_status"])
	}
	pending, err := dbsqlc.New().CallCommandListPending(t.Context(), server.Tx,
		&dbsqlc.CallCommandListPendingParams{WorkerID: "worker"})
	require.NoError(t, err)
	require.Empty(t, pending)
}

func TestLimits(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	liveCall(t, server, "queued")
	liveCall(t, server, "ringing")
	shown := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, "/v1/user/limits", nil)
	require.Equal(t, object{"limit": 10.0, "reserved_inbound": 0.0, "used": 1.0, "waiting": 1.0}, shown["concurrent_calls"])
	require.Equal(t, 0.0, shown["credits"])
	rate := shown["request_rate"].(object)
	require.Positive(t, rate["remaining"])
	require.Greater(t, rate["limit"], rate["remaining"])
	require.NotEmpty(t, rate["reset_at"])
}
