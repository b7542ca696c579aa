package main

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sip"
)

// command is the API's response to a command for a call.
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
		require.Eventually(t, func() bool { return slices.Contains(texts(p.get(id)), "Your colleague joins us.") }, 30*time.Second,
			50*time.Millisecond)
		added := p.tell(id, map[string]any{"type": "add-message",
			"message": map[string]any{"role": "system", "content": "The bill is paid."}})
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
		require.Equal(t, []string{"queued", "dialing", "ringing", "in-progress", "forwarding", "in-progress", "completed"},
			states(call))
		require.Eventually(t, func() bool { return p.outcomes(id)[ended.ID] == "done" }, 30*time.Second, 50*time.Millisecond)
		p.call(http.MethodPost, "/v1/calls/"+id+"/messages", map[string]any{"type": "end-call"}, http.StatusConflict, nil)
		p.server.waitReport(t, id)

		// The worker was woken: it did not find the commands by looking now and then.
		conn, err := pgx.Connect(t.Context(), dsn)
		require.NoError(t, err)
		defer conn.Close(t.Context())
		var took float64
		var kept int
		require.NoError(t,
			conn.QueryRow(t.Context(),
				`SELECT extract(epoch FROM finished_at - created_at), (SELECT count(*) FROM call_command WHERE body <> '{}')
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
		limits := func(calls string) { p.run("limits", p.account, "--max-concurrent-calls="+calls) }
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

// TestDrain stops a worker in the middle of a call: the call goes on for the drain time, then it is ended with a goodbye,
// which the called person hears before the worker hangs up.
func TestDrain(t *testing.T) {
	t.Parallel()
	long(t)

	p := startPlatform(t, dbtest.DSN(t), false)
	outside := startHandset(t)
	flags := append(hearing(), "--trunk-proxy="+outside.Addr().String(), "--sip-listen=127.0.0.1:0", "--public-ip=127.0.0.1")
	p.call(http.MethodPatch, "/v1/assistants/"+p.assistantID, map[string]any{"first_message_outbound": "Hello?"}, http.StatusOK, nil)
	worker := p.startWorker(flags...) // which drains for 2 s
	id := p.direct("+31612345678")
	p.waitStatus(id, "in-progress")
	require.Eventually(t, func() bool { return len(p.get(id).Transcript) == 1 }, 30*time.Second, 20*time.Millisecond, "the greeting")
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
	require.Equal(t, "Goodbye, and have a nice day.", call.Transcript[1].Text)
	ended := outside.wait(t)
	require.ErrorIs(t, ended.err, media.ErrRemoteHangup, "it was the worker that said BYE")
	require.GreaterOrEqual(t, ended.at.Sub(stopped), 2*time.Second)
	goodbye := ended.heard(stopped.Add(2 * time.Second))
	require.Greater(t, goodbye, time.Second, "the goodbye was heard after the drain time")
	require.Zero(t, ended.heard(stopped)-goodbye, "and nothing before")

	// Another worker takes over what this one had in hand: the report, and the job that it waited with.
	p.startWorker(flags...)
	p.server.waitReport(t, id)
	require.Eventually(t, func() bool {
		p.call(http.MethodGet, "/v1/scheduled-calls/"+scheduled.ID, nil, http.StatusOK, &scheduled)
		return scheduled.CallID != ""
	}, 20*time.Second, 20*time.Millisecond)
	p.waitStatus(scheduled.CallID, "busy")
}

// handset is a telephone outside that says nothing and notes what it hears. Numbers that end on 01 are busy.
type handset struct {
	*sip.UA
	calls chan heardCall
}

// heardCall is a call that is over.
type heardCall struct {
	at   time.Time // of the end
	err  error     // why it ended
	loud []time.Time
}

// heard is how much was heard since a time.
func (c heardCall) heard(since time.Time) (lasted time.Duration) {
	for _, at := range c.loud {
		if at.After(since) {
			lasted += audio.FrameDuration
		}
	}
	return lasted
}

func startHandset(t *testing.T) *handset {
	t.Helper()
	h := &handset{calls: make(chan heardCall, 10)}
	var err error
	h.UA, err = sip.Listen(sip.Config{Listen: "127.0.0.1:0", Inbound: h.answer})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // whatever still lives is cut
		require.NoError(t, h.Close(ctx))
	})
	return h
}

func (h *handset) answer(ctx context.Context, in *sip.Inbound) {
	if strings.HasSuffix(in.To, "01") {
		if err := in.Reject(486, "Busy Here"); err != nil {
			h.calls <- heardCall{err: err}
		}
		return
	}
	leg, err := in.Answer(context.WithoutCancel(ctx))
	if err != nil {
		h.calls <- heardCall{err: err}
		return
	}
	var call heardCall
	for item := range leg.Incoming() {
		if item.Frame != nil && isLoud(item.Frame) {
			call.loud = append(call.loud, time.Now())
		}
	}
	call.at, call.err = time.Now(), leg.Err()
	h.calls <- call
}

func (h *handset) wait(t *testing.T) heardCall {
	t.Helper()
	select {
	case call := <-h.calls:
		return call
	case <-time.After(10 * time.Second):
		require.FailNow(t, "the call did not end at the far end")
		return heardCall{}
	}
}
