package main

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// command is what the API answers to something that was asked of a call.
type command struct {
	ID     string `json:"command_id"`
	Status string
}

func (p *platform) tell(callID string, message map[string]any) command {
	p.t.Helper()
	var told command
	p.call(http.MethodPost, "/v1/calls/"+callID+"/messages", message, http.StatusAccepted, &told)
	require.Equal(p.t, "pending", told.Status)
	return told
}

func (p *platform) hangUp(callID string) command {
	p.t.Helper()
	var told command
	p.call(http.MethodPost, "/v1/calls/"+callID+"/end", nil, http.StatusAccepted, &told)
	return told
}

// outcomes are the outcomes of a call's commands by id, as its events tell them.
func (p *platform) outcomes(callID string) map[string]string {
	p.t.Helper()
	var events struct {
		Data []struct {
			Message struct {
				Command struct{ ID, Status, Error string }
			}
		}
	}
	p.call(http.MethodGet, "/v1/events?limit=100&type=call-command-update&call_id="+callID, nil, http.StatusOK, &events)
	found := map[string]string{}
	for _, event := range events.Data {
		require.NotContains(p.t, found, event.Message.Command.ID, "one outcome")
		found[event.Message.Command.ID] = event.Message.Command.Status + event.Message.Command.Error
	}
	return found
}

// TestLiveControl talks to live calls through the API process while a worker process holds them.
func TestLiveControl(t *testing.T) {
	t.Parallel()

	dsn := dbtest.DSN(t)
	p := startPlatform(t, dsn, true)
	p.startWorker()

	t.Run("Conversation", func(t *testing.T) {
		id := p.direct("+31612345606") // silent
		p.waitStatus(id, "in-progress")
		said := p.tell(id, map[string]any{"type": "say", "content": "Your colleague joins us.", "interrupt": true})
		require.Eventually(t, func() bool { return slices.Contains(texts(p.get(id)), "Your colleague joins us.") }, 30*time.Second, 50*time.Millisecond)
		added := p.tell(id, map[string]any{"type": "add-message", "message": map[string]any{"role": "system", "content": "The bill is paid."}})
		moved := p.tell(id, map[string]any{"type": "transfer", "phone_number": "+31201234501"})
		require.Eventually(t, func() bool { return len(p.outcomes(id)) == 3 }, 30*time.Second, 50*time.Millisecond)
		outcomes := p.outcomes(id)
		require.Equal(t, "done", outcomes[said.ID])
		require.Equal(t, "done", outcomes[added.ID])
		require.Contains(t, outcomes[moved.ID], "failed", "it is busy there")

		ended := p.hangUp(id)
		call := p.waitStatus(id, "completed", "failed")
		require.Equal(t, "completed", call.Status)
		require.Equal(t, "manually-canceled", call.EndedReason)
		require.Equal(t, []string{"queued", "dialing", "ringing", "in-progress", "forwarding", "in-progress", "completed"}, states(call))
		require.Eventually(t, func() bool { return p.outcomes(id)[ended.ID] == "done" }, 30*time.Second, 50*time.Millisecond)
		p.call(http.MethodPost, "/v1/calls/"+id+"/messages", map[string]any{"type": "end-call"}, http.StatusConflict, nil)
		p.server.waitReport(t, id)

		// The worker was woken: it did not find the commands by looking now and then.
		conn, err := pgx.Connect(t.Context(), dsn)
		require.NoError(t, err)
		defer conn.Close(t.Context())
		var took float64
		var kept int
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT extract(epoch FROM finished_at - created_at), (SELECT count(*) FROM call_command WHERE body <> '{}')
			FROM call_command WHERE id = $1`, added.ID).Scan(&took, &kept))
		require.Less(t, took, 1.0)
		require.Zero(t, kept, "what was said is not kept twice")
	})

	t.Run("Ringing", func(t *testing.T) {
		id := p.direct("+31612345602")
		p.waitStatus(id, "ringing")
		said := p.tell(id, map[string]any{"type": "say", "content": "Hello?"})
		ended := p.hangUp(id)
		require.Equal(t, "manually-canceled", p.waitStatus(id, "canceled").EndedReason)
		p.server.waitReport(t, id)
		require.Equal(t, map[string]string{said.ID: "failedThe call ended first.", ended.ID: "done"}, p.outcomes(id))
	})

	t.Run("Queued", func(t *testing.T) {
		limits := func(calls string) { p.run("account", "limits", p.account, "--max-concurrent-calls="+calls) }
		limits("0")
		id := p.direct("+31612345601")
		require.Eventually(t, func() bool { return p.get(id).Explanation != "" }, 10*time.Second, 20*time.Millisecond)
		var shown struct {
			Calls struct{ Limit, Used, Waiting int } `json:"concurrent_calls"`
		}
		p.call(http.MethodGet, "/v1/user/limits", nil, http.StatusOK, &shown)
		require.Equal(t, 1, shown.Calls.Waiting)
		p.call(http.MethodPost, "/v1/calls/"+id+"/messages", map[string]any{"type": "end-call"}, http.StatusConflict, nil)
		second := p.direct("+31612345601")
		ended := p.hangUp(id)
		require.Equal(t, "done", ended.Status)
		require.Equal(t, "canceled", p.get(id).Status)
		p.call(http.MethodPost, "/v1/calls/"+id+"/end", nil, http.StatusConflict, nil)
		p.server.waitReport(t, id)
		require.Equal(t, "done", p.outcomes(id)[ended.ID])
		limits("10")
		p.waitStatus(second, "busy")
	})
}

func texts(call callRecord) (spoken []string) {
	for _, turn := range call.Transcript {
		spoken = append(spoken, turn.Text)
	}
	return spoken
}

// TestDrain stops a worker in the middle of a call: the call goes on for the drain time, then it is ended with a goodbye.
func TestDrain(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), true)
	worker := p.startWorker() // which drains for 2 s
	id := p.direct("+31612345606")
	p.waitStatus(id, "in-progress")
	var contact struct {
		ID string `json:"contact_id"`
	}
	p.call(http.MethodPost, "/v1/contacts", map[string]any{"phone_number": "+31612345601"}, http.StatusCreated, &contact)
	var scheduled struct {
		ID     string
		CallID string `json:"call_id"`
	}
	p.call(http.MethodPost, "/v1/scheduled-calls", map[string]any{
		"assistant_id": p.assistantID, "contact_id": contact.ID, "scheduled_time": time.Now().Add(3 * time.Second),
	}, http.StatusCreated, &scheduled)
	stopped := time.Now()
	worker.stop()
	require.GreaterOrEqual(t, time.Since(stopped), 2*time.Second, "live calls go on")
	call := p.get(id)
	require.Equal(t, "worker-shutdown", call.EndedReason)
	require.Len(t, call.Transcript, 2, "the greeting and the goodbye")

	// Another worker takes over what this one had in hand: the report, and the alarm that it waited with.
	p.startWorker()
	p.server.waitReport(t, id)
	require.Eventually(t, func() bool {
		p.call(http.MethodGet, "/v1/scheduled-calls/"+scheduled.ID, nil, http.StatusOK, &scheduled)
		return scheduled.CallID != ""
	}, 20*time.Second, 20*time.Millisecond)
	p.waitStatus(scheduled.CallID, "busy")
}
