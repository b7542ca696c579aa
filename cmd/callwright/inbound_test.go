package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/providers/peertest"
	"github.com/callwright/callwright/voice/simnet"
	"github.com/callwright/callwright/voice/sip"
)

const (
	ourNumber    = "+31850000000"
	callerNumber = "+31612345678"
)

// address is where a worker's telephone line is reached.
func (p *process) address(line string) string {
	return p.waitFor(`"` + line + ` is open","address":"([^"]+)"`)
}

// inbound waits for the account's only call that came in.
func (p *platform) inbound(states ...string) callRecord {
	p.t.Helper()
	var id string
	require.Eventually(p.t, func() bool {
		var calls struct {
			Data []struct {
				CallID     string `json:"call_id"`
				Direction  string
				CallStatus string `json:"call_status"`
			}
		}
		p.call(http.MethodGet, "/v1/calls", nil, http.StatusOK, &calls)
		require.LessOrEqual(p.t, len(calls.Data), 1)
		if len(calls.Data) == 0 || !slices.Contains(states, calls.Data[0].CallStatus) {
			return false
		}
		require.Equal(p.t, "inbound", calls.Data[0].Direction)
		id = calls.Data[0].CallID
		return true
	}, time.Minute, 20*time.Millisecond, "no inbound call became %v", states)
	return p.get(id)
}

// greet gives the assistant something to say to callers.
func (p *platform) greet() {
	p.t.Helper()
	p.call(http.MethodPatch, "/v1/assistants/"+p.assistantID, map[string]any{"first_message": "Linden Dental."}, http.StatusOK, nil)
}

// TestCallerOnTheSimulatedNetwork calls an assistant and talks with it.
func TestCallerOnTheSimulatedNetwork(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), true)
	p.greet()
	var contact struct {
		ID string `json:"contact_id"`
	}
	p.call(http.MethodPost, "/v1/contacts", map[string]any{"phone_number": callerNumber, "full_name": "Jan"}, http.StatusCreated,
		&contact)
	worker, outside := p.startWorker(), startCarrier(t, nil)
	_, err := outside.Call(t.Context(), worker.address("simulated SIP gateway"), callerNumber, ourNumber,
		simnet.Script{Steps: []simnet.Step{
			{Listen: 10 * time.Second}, {Say: "Thank you."}, {Listen: 10 * time.Second},
		}})
	require.NoError(t, err)

	call := p.inbound("completed", "failed")
	require.Equal(t, "completed", call.Status, "%+v", call)
	require.Equal(t, contact.ID, call.ContactID)
	require.Equal(t, "Linden Dental.", call.Transcript[0].Text)
	require.Len(t, call.Transcript, 3)
	p.server.waitReport(t, call.CallID)
	require.Eventually(t, func() bool { return len(p.server.of(call.CallID, "status-update")) == 3 }, time.Minute,
		20*time.Millisecond)
	for i, state := range []string{"ringing", "in-progress", "completed"} {
		require.Equal(t, state, p.server.of(call.CallID, "status-update")[i].Message.CallStatus)
	}
	status, recording := p.try(http.MethodGet, "/v1/calls/"+call.CallID+"/recording", nil)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "RIFF", string(recording[:4]))
	worker.stop()
}

// TestCallerOfANumberWithoutAnAssistant is turned away when the server, which is asked, names nobody. The question is in the call's
// trace.
func TestCallerOfANumberWithoutAnAssistant(t *testing.T) {
	t.Parallel()

	const number = "+31201234567"
	p := startPlatform(t, dbtest.DSN(t), true)
	p.env = append(p.env, "CALLWRIGHT_OTLP_ENDPOINT="+newCollector(t).url)
	var connection struct{ ID, Status string }
	p.call(http.MethodPost, "/v1/sip-connections", map[string]any{
		"phone_number": number, "sip_username": "user", "sip_password": "password", "sip_proxy": "sip.example.com",
		"provider_name": "Carrier",
	}, http.StatusCreated, &connection)
	p.admin.call(http.MethodPut, "/v1/user/webhook", map[string]any{
		"url": p.server.url, "events": []string{"assistant-request", "status-update", "end-of-call-report"},
	}, http.StatusOK, nil)
	worker, outside := p.startWorker(), startCarrier(t, nil)
	require.Eventually(t, func() bool { // until then the number is nobody's
		p.call(http.MethodGet, "/v1/sip-connections/"+connection.ID, nil, http.StatusOK, &connection)
		return connection.Status == "registered"
	}, time.Minute, 20*time.Millisecond)
	_, err := outside.Call(t.Context(), worker.address("simulated SIP gateway"), callerNumber, number, simnet.Script{})
	refused, is := errors.AsType[*sip.Refused](err)
	require.True(t, is, "%v", err)
	require.Equal(t, 480, refused.Code)
	call := p.inbound("missed", "failed", "completed")
	require.Equal(t, "missed", call.Status)
	require.Equal(t, "assistant-request-returned-no-assistant", call.EndedReason)
	require.Equal(t, 480, call.SIPCode)
	require.Empty(t, call.AssistantID)
	p.server.waitReport(t, call.CallID)
	asked := p.server.of(call.CallID, "assistant-request")
	require.Len(t, asked, 1)
	require.Regexp(t, "^00-"+strings.ReplaceAll(call.CallID, "-", "")+"-[0-9a-f]{16}-01$", asked[0].Traceparent)
	worker.stop()
}

// TestCallerIsSipp is called by SIPp, a telephone that nobody here wrote.
func TestCallerIsSipp(t *testing.T) {
	t.Parallel()

	peertest.Require(t, "sipp")
	p := startPlatform(t, dbtest.DSN(t), false)
	p.greet()
	worker := p.startWorker("--sip-listen=127.0.0.1:0", "--trunk-peers=127.0.0.0/8")
	line := worker.address("SIP gateway")
	require.Equal(t, "SIP/2.0 200 OK", knock(t, line))
	require.NoError(t, <-callFromSipp(t, "uac_refused.xml", line, "+31850000001"), "a number that nobody has")
	require.NoError(t, <-callFromSipp(t, "uac_talk.xml", line, "31850000000"), "sipp")
	call := p.inbound("completed", "failed")
	require.Equal(t, "completed", call.Status, "%+v", call)
	require.Equal(t, "customer-ended-call", call.EndedReason)
	require.Equal(t, callerNumber, call.ContactPhoneNumber)
	p.server.waitReport(t, call.CallID)
	worker.stop()
}

// TestCallerGivesUp hangs up while the customer's server thinks about which assistant is to answer.
func TestCallerGivesUp(t *testing.T) {
	t.Parallel()

	peertest.Require(t, "sipp")
	p := startPlatform(t, dbtest.DSN(t), false)
	var webhook struct{ URL string }
	p.call(http.MethodGet, "/v1/user/webhook", nil, http.StatusOK, &webhook)
	p.call(http.MethodPut, "/v1/user/webhook", map[string]any{
		"url": webhook.URL, "events": []string{"assistant-request", "status-update", "end-of-call-report"},
	}, http.StatusOK, nil)
	thinking := make(chan struct{})
	answer := sync.OnceFunc(func() { close(thinking) })
	t.Cleanup(answer)
	p.server.mu.Lock()
	p.server.hold = func() { <-thinking }
	p.server.mu.Unlock()
	worker := p.startWorker("--sip-listen=127.0.0.1:0", "--trunk-peers=127.0.0.0/8")
	require.NoError(t, <-callFromSipp(t, "uac_cancel.xml", worker.address("SIP gateway"), ourNumber), "sipp")
	call := p.inbound("missed", "completed", "failed")
	require.Equal(t, "missed", call.Status)
	require.Equal(t, "customer-ended-call-before-answer", call.EndedReason)
	p.server.mu.Lock()
	p.server.hold = nil
	p.server.mu.Unlock()
	answer()
	p.server.waitReport(t, call.CallID)
	worker.stop()
}

// TestUnknownSourcesAreNotHeard knocks from where no carrier is.
func TestUnknownSourcesAreNotHeard(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), false)
	worker := p.startWorker("--sip-listen=127.0.0.1:0")
	require.Empty(t, knock(t, worker.address("SIP gateway")), "no answer at all")
	worker.stop()
}

// knock asks whether anybody is there, and returns the first line of what comes back soon.
func knock(t *testing.T, address string) string {
	t.Helper()
	conn, err := net.Dial("udp", address)
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn,
		"OPTIONS sip:%[1]s SIP/2.0\r\nVia: SIP/2.0/UDP %[2]s;branch=z9hG4bK1\r\nFrom: <sip:a@%[2]s>;tag=1\r\n"+
			"To: <sip:%[1]s>\r\nCall-ID: 1\r\nCSeq: 1 OPTIONS\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n", address, conn.LocalAddr())
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Second)))
	answer := make([]byte, 2048)
	n, err := conn.Read(answer)
	if !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, os.ErrDeadlineExceeded) {
		require.NoError(t, err)
	}
	line, _, _ := strings.Cut(string(answer[:n]), "\r\n")
	return line
}

// TestInboundCallOfAKilledWorker kills a worker in the middle of a call that came in. Another one hangs up in its name.
func TestInboundCallOfAKilledWorker(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), false)
	outside := startCarrier(t, nil)
	flags := append(outside.overCarrier(), "--trunk-peers=127.0.0.0/8")
	doomed := p.startWorker(flags...)
	ended := p.silentCaller(outside, doomed.address("SIP gateway"))
	p.inbound("in-progress")
	survivor := p.startWorker(flags...)
	doomed.kill()
	call := p.inbound("failed", "completed")
	require.Equal(t, "worker-lost", call.EndedReason)
	p.server.waitReport(t, call.CallID)
	require.NoError(t, <-ended, "the caller heard BYE")
	survivor.stop()
}

// TestInboundCallOfAStoppingWorker stops a worker in the middle of a call that came in: new callers are sent elsewhere,
// the call goes on for the drain time, and ends with a goodbye.
func TestInboundCallOfAStoppingWorker(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), false)
	outside := startCarrier(t, nil)
	worker := p.startWorker(append(outside.overCarrier(), "--trunk-peers=127.0.0.0/8")...)
	line := worker.address("SIP gateway")
	ended := p.silentCaller(outside, line)
	p.inbound("in-progress")
	worker.signal(syscall.SIGTERM)
	worker.waitFor(`stopping; live calls go on`)
	_, err := outside.Call(t.Context(), line, "+31612345679", ourNumber, simnet.Script{})
	refused, is := errors.AsType[*sip.Refused](err)
	require.True(t, is, "%v", err)
	require.Equal(t, 503, refused.Code)
	require.Positive(t, refused.RetryAfter, "the line itself refuses, and says so to carriers that ask")
	require.Equal(t, "in-progress", p.inbound("in-progress").Status)
	worker.wait()
	require.NoError(t, <-ended)
	call := p.inbound("failed", "completed")
	require.Equal(t, "worker-shutdown", call.EndedReason)
}

// TestInboundCapacity calls a worker that is full.
func TestInboundCapacity(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), false)
	outside := startCarrier(t, nil)
	worker := p.startWorker(append(outside.overCarrier(), "--trunk-peers=127.0.0.0/8", "--queues=calls=1,webhooks=10,default=10")...)
	line := worker.address("SIP gateway")
	p.silentCaller(outside, line)
	p.inbound("in-progress")
	_, err := outside.Call(t.Context(), line, "+31612345679", ourNumber, simnet.Script{})
	refused, is := errors.AsType[*sip.Refused](err)
	require.True(t, is, "%v", err)
	require.Equal(t, 503, refused.Code)
	require.Positive(t, refused.RetryAfter)
	worker.stop()
}

// TestInboundBurst has more callers ring at the same moment than their account has places. As many are answered as there
// are places, the others hear at once that it is busy, and when all have hung up every place is free.
func TestInboundBurst(t *testing.T) {
	t.Parallel()

	const burst, places = 60, 20
	p := startPlatform(t, dbtest.DSN(t), false)
	p.run("limits", p.account, fmt.Sprintf("--max-concurrent-calls=%d", places))
	worker := p.startWorker("--sip-listen=127.0.0.1:0", "--trunk-peers=127.0.0.0/8")
	line := worker.address("SIP gateway")
	callers, err := sip.Listen(sip.Config{Listen: "127.0.0.1:0"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, callers.Close(context.WithoutCancel(t.Context()))) })

	legs := make(chan *sip.Leg, burst)
	codes := make(chan int, burst)
	var ringing sync.WaitGroup
	for i := range burst {
		ringing.Go(func() {
			leg, err := callers.Dial(t.Context(), sip.Dial{Proxy: line, From: fmt.Sprintf("+316123456%02d", i), To: ourNumber})
			if refused, is := errors.AsType[*sip.Refused](err); is {
				codes <- refused.Code
			} else if err != nil {
				t.Error(err)
			} else {
				legs <- leg
			}
		})
	}
	ringing.Wait()
	close(legs)
	close(codes)
	require.Len(t, legs, places)
	for code := range codes {
		require.Equal(t, 486, code)
	}
	for leg := range legs {
		require.NoError(t, leg.Hangup(t.Context()))
	}
	require.Eventually(t, func() bool {
		var use struct {
			ConcurrentCalls struct{ Used int } `json:"concurrent_calls"`
		}
		p.call(http.MethodGet, "/v1/user/limits", nil, http.StatusOK, &use)
		return use.ConcurrentCalls.Used == 0
	}, time.Minute, 50*time.Millisecond, "places are held that nobody uses")
	worker.stop()
}

// silentCaller calls our number and says nothing until the other side hangs up. The channel receives how the call went.
func (p *platform) silentCaller(outside *carrier, line string) <-chan error {
	p.t.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := outside.Call(context.WithoutCancel(p.t.Context()), line, callerNumber, ourNumber,
			simnet.Script{Steps: []simnet.Step{{Wait: time.Minute}}})
		ended <- err
	}()
	return ended
}
