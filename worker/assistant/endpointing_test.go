package assistant

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/voice"
)

// The server of a custom endpointing model says for how long the caller may go on; all else is no answer.
func TestEndpointer(t *testing.T) {
	t.Parallel()

	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/wrapped":
			fmt.Fprint(w, `{"messageResponse": {"timeoutSeconds": 15}}`)
		case "/long":
			fmt.Fprint(w, `{"timeoutSeconds": 15.1}`)
		case "/text":
			fmt.Fprint(w, `soon`)
		case "/nothing":
			fmt.Fprint(w, `{}`)
		case "/broken":
			http.Error(w, "oops", http.StatusInternalServerError)
		default:
			fmt.Fprint(w, `{"timeoutSeconds": 0.25}`)
		}
	}))
	t.Cleanup(server.Close)
	tx, maker, call := liveCall(t)
	said := []voice.Turn{
		{Role: voice.RoleAssistant, Text: "Hello?", At: time.Second, Interrupted: true},
		{Role: voice.RoleUser, Text: "I would like", At: 2500 * time.Millisecond},
	}
	wait := func(path string) (time.Duration, error) {
		asked := *call
		asked.AssistantConfig = &jsonb.Assistant{}
		plan := fmt.Sprintf(`{"start_speaking_plan": {"smartEndpointingPlan": {"provider": "custom-endpointing-model", "server": {"url": %q}}}}`, server.URL+path)
		require.NoError(t, json.Unmarshal([]byte(plan), asked.AssistantConfig))
		judge := maker.Endpointer(&asked)
		require.NotNil(t, judge)
		found, err := judge.Wait(t.Context(), said)
		maker.Asking.Wait()
		return found, err
	}
	found, err := wait("/")
	require.NoError(t, err)
	require.Equal(t, 250*time.Millisecond, found)
	var posted struct {
		Message struct {
			Type     string           `json:"type"`
			Messages []map[string]any `json:"messages"`
			OpenAI   []map[string]any `json:"messagesOpenAIFormatted"`
			Call     struct{ ID string }
		} `json:"message"`
	}
	require.NoError(t, json.Unmarshal(body, &posted))
	require.Equal(t, "call.endpointing.request", posted.Message.Type)
	require.Equal(t, call.ID.String(), posted.Message.Call.ID)
	require.Equal(t, "bot", posted.Message.Messages[0]["role"])
	require.Equal(t, "I would like", posted.Message.Messages[1]["message"])
	require.InDelta(t, 2.5, posted.Message.Messages[1]["secondsFromStart"], 0)
	require.Equal(t, map[string]any{"role": "user", "content": "I would like"}, posted.Message.OpenAI[1])

	found, err = wait("/wrapped")
	require.NoError(t, err)
	require.Equal(t, 15*time.Second, found)
	for _, path := range []string{"/long", "/text", "/nothing", "/broken"} {
		_, err = wait(path)
		require.Error(t, err, path)
	}
	var logged int
	require.NoError(t,
		tx.QueryRow(t.Context(), `SELECT count(*) FROM event JOIN delivery_attempt ON delivery_attempt.event_id = event.id
		WHERE event.call_id = $1 AND event.type = 'call.endpointing.request'`, call.ID).Scan(&logged))
	require.Equal(t, 6, logged)
	require.Nil(t, maker.Endpointer(&dbsqlc.Call{AssistantConfig: &jsonb.Assistant{}}))
}

// Customers' addresses go through the guard: none leads into our own network.
func TestEndpointerIsGuarded(t *testing.T) {
	t.Parallel()

	_, maker, call := liveCall(t)
	asked := *call
	asked.AssistantConfig = &jsonb.Assistant{}
	require.NoError(t,
		json.Unmarshal([]byte(`{"start_speaking_plan": {"smartEndpointingPlan": {"provider": "custom-endpointing-model", "server": {"url": "http://10.1.2.3/"}}}}`), asked.AssistantConfig))
	_, err := maker.Endpointer(&asked).Wait(t.Context(), []voice.Turn{{Role: voice.RoleUser, Text: "Hello"}})
	require.ErrorContains(t, err, "may not be dialled")
}
