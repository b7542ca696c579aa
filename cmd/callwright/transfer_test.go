package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/providers/peertest"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/simnet"
)

// transferUpdates are those of a call: status and number.
func (p *platform) transferUpdates(callID string) (told []string) {
	p.t.Helper()
	var updates struct {
		Data []struct {
			Message struct {
				Status      string
				Destination struct{ Number string }
			}
		}
	}
	p.call(http.MethodGet, "/v1/events?limit=100&type=transfer-update&call_id="+callID, nil, http.StatusOK, &updates)
	for _, update := range updates.Data {
		told = append(told, update.Message.Status+" "+update.Message.Destination.Number)
	}
	return told
}

// requireTransferred follows a call that was taken elsewhere: its record ends there.
func (p *platform) requireTransferred(callID string, updates ...string) {
	p.t.Helper()
	call := p.waitStatus(callID, "completed", "failed")
	require.Equal(p.t, "completed", call.Status, "%+v", call)
	require.Equal(p.t, "assistant-forwarded-call", call.EndedReason)
	require.Equal(p.t, "assistant", call.EndedFault)
	states := states(call)
	require.Equal(p.t, "completed "+call.Timeline[len(states)-2].Destination, updates[len(updates)-1])
	require.Equal(p.t, []string{"in-progress", "forwarding", "completed"}, states[len(states)-3:])
	report := p.server.waitReport(p.t, callID)
	require.Equal(p.t, "completed "+report.Message.Destination.Number, updates[len(updates)-1])
	require.Eventually(p.t, func() bool { return len(p.transferUpdates(callID)) == len(updates) }, 10*time.Second,
		20*time.Millisecond)
	require.Equal(p.t, updates, p.transferUpdates(callID))
	recorded := audio.Duration(len(p.recording(callID).Channels[0]))
	require.InDelta(p.t, call.DurationSeconds, recorded.Seconds(), 2, "it was recorded until then")
}

func states(call callRecord) (passed []string) {
	for _, entry := range call.Timeline {
		passed = append(passed, entry.Status)
	}
	return passed
}

// told returns the states of a call that customers' servers are told.
func told(call callRecord) []string {
	return slices.DeleteFunc(states(call), func(status string) bool { return status == "dialing" })
}

// TestTransfer has callers taken elsewhere, by the assistant and through the API. Who is busy there, or does not answer,
// leaves the caller with the assistant.
func TestTransfer(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), true)
	p.call(http.MethodPatch, "/v1/assistants/"+p.assistantID, map[string]any{
		"first_message_outbound": "Hello?",

		"call_transfers": []any{map[string]any{"name": "Desk", "phone_number": "+31 20 123 4500"}},
		"server": map[string]any{"url": p.server.url,
			"events": []string{"transfer-update", "status-update", "end-of-call-report"}},
		"model": map[string]any{"provider": "scripted",
			"messages": []any{map[string]any{"role": "system", "content": `when moment: call transfer {"destination": "desk"}`}}},
	}, http.StatusOK, nil)
	worker := p.startWorker()
	tool, busy, unanswered := p.direct("+31612345611"), p.direct("+31612345606"), p.direct("+31612345606")

	p.waitStatus(unanswered, "in-progress")
	nobody := p.tell(unanswered, map[string]any{"type": "transfer", "phone_number": "+31201234502"})
	p.waitStatus(busy, "in-progress")
	first := p.tell(busy, map[string]any{"type": "transfer", "phone_number": "+31201234501"})
	require.Eventually(t, func() bool {
		return strings.Contains(fmt.Sprint(texts(p.get(busy))), "Sorry, I could not put you through.")
	}, 30*time.Second, 50*time.Millisecond)
	second := p.tell(busy, map[string]any{"type": "transfer", "phone_number": "+31201234505"})
	p.requireTransferred(busy, "started +31201234501", "failed +31201234501", "started +31201234505", "completed +31201234505")
	outcomes := p.outcomes(busy)
	require.Contains(t, outcomes[first.ID], "486")
	require.Equal(t, "done", outcomes[second.ID])
	forwarded := p.server.of(busy, "status-update")
	i := slices.IndexFunc(forwarded, func(e received) bool { return e.Message.CallStatus == "forwarding" })
	require.Equal(t, "+31201234501", forwarded[i].Message.Destination.Number)

	p.requireTransferred(tool, "started +31201234500", "completed +31201234500")
	require.Contains(t, texts(p.get(tool)), "One moment, I will put you through.")

	require.Eventually(t, func() bool { return len(p.outcomes(unanswered)) == 1 }, 30*time.Second, 50*time.Millisecond)
	require.Contains(t, p.outcomes(unanswered)[nobody.ID], "480")
	require.Equal(t, "in-progress", p.get(unanswered).Status)
	p.hangUp(unanswered)
	require.Equal(t, "manually-canceled", p.waitStatus(unanswered, "completed", "failed").EndedReason)
	worker.stop()
}

// TestTransferByACarrier transfers a call on the trunk, where SIPp takes the transfer.
func TestTransferByACarrier(t *testing.T) {
	t.Parallel()

	peertest.Require(t, "sipp")
	p := startPlatform(t, dbtest.DSN(t), false)
	proxy, ended := startSipp(t, "uas_transferred.xml")
	worker := p.startWorker(append(hearing(), "--trunk-proxy="+proxy, "--sip-listen=127.0.0.1:0", "--public-ip=127.0.0.1")...)
	id := p.direct("+31612345678")
	p.waitStatus(id, "in-progress")
	told := p.tell(id, map[string]any{"type": "transfer", "phone_number": "+31201111111"})
	call := p.waitStatus(id, "completed", "failed")
	require.Equal(t, "assistant-forwarded-call", call.EndedReason, "%+v", call)
	require.NoError(t, <-ended, "sipp")
	require.Equal(t, "done", p.outcomes(id)[told.ID])
	p.server.waitReport(t, id)
	worker.stop()
}

// TestCallersAreForwarded has a customer's server answer, while it rings, that the caller is to go elsewhere.
func TestCallersAreForwarded(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), true)
	p.greet()
	var number atomic.Value
	server := httptest.NewServer(documented(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		question, err := io.ReadAll(r.Body)
		if err != nil || !bytes.Contains(question, []byte(`"assistant-request"`)) {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		fmt.Fprintf(w, `{"destination": {"type": "number", "number": %q, "message": "I will connect you."}}`, number.Load())
	})))
	t.Cleanup(server.Close)
	p.call(http.MethodPatch, "/v1/assistants/"+p.assistantID, map[string]any{
		"server": map[string]any{"url": server.URL, "events": []string{"assistant-request", "transfer-update"}},
	}, http.StatusOK, nil)
	worker, outside := p.startWorker(), startCarrier(t, nil)
	line := worker.address("simulated SIP gateway")
	ring := func(target string, steps ...simnet.Step) (simnet.Call, callRecord) {
		number.Store(target)
		seen, err := outside.Call(t.Context(), line, callerNumber, ourNumber, simnet.Script{Steps: steps})
		require.NoError(t, err)
		var calls struct {
			Data []struct {
				CallID string `json:"call_id"`
			}
		}
		p.call(http.MethodGet, "/v1/calls", nil, http.StatusOK, &calls)
		return seen, p.waitStatus(calls.Data[0].CallID, "completed", "failed")
	}

	seen, call := ring("+31201234500", simnet.Step{Wait: 20 * time.Second})
	require.Equal(t, []simnet.Transfer{{To: "+31201234500", Code: 200}}, seen.Transfers)
	require.Equal(t, "completed", call.Status)
	require.Equal(t, "assistant-request-returned-forwarding-phone-number", call.EndedReason)
	require.Equal(t, []string{"I will connect you."}, texts(call))
	require.Equal(t, []string{"ringing", "in-progress", "forwarding", "completed"}, states(call))

	// Where nobody takes the call, its assistant is there.
	seen, call = ring("+31201234501", simnet.Step{Listen: 10 * time.Second}, simnet.Step{Say: "Thank you."},
		simnet.Step{Wait: 500 * time.Millisecond})
	require.Equal(t, []simnet.Transfer{{To: "+31201234501", Code: 486}}, seen.Transfers)
	require.Equal(t, "customer-ended-call", call.EndedReason)
	require.Contains(t, fmt.Sprint(texts(call)), "Sorry, I could not put you through.")
	require.Contains(t, texts(call), "Thank you.")
	worker.stop()
}
