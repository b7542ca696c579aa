package main

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/pion/webrtc/v4"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/providers/tts/flite"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/simnet"
	"github.com/callwright/callwright/voice/webrtc/webrtctest"
)

const deskNumber = "+31201234520" // which does what a test says

// startReferless is a carrier that refuses REFER.
func startReferless(t *testing.T, desk ...simnet.Step) *carrier {
	t.Helper()
	c := &carrier{invites: map[string]int{}}
	network, err := simnet.Start(context.WithoutCancel(t.Context()), simnet.Config{
		Listen: "127.0.0.1:0", TTS: flite.New(flite.Config{}), NoTransfers: true, OnInvite: c.count,
		Scripts: simnet.Scripts{deskNumber[len(deskNumber)-2:]: {AnswerAfter: time.Second, Steps: desk}},
	})
	require.NoError(t, err)
	c.Network = network
	t.Cleanup(func() { c.close(t) })
	return c
}

// seen is what the far end of the latest call to a number saw.
func (c *carrier) seen(number string) (last simnet.Call) {
	for _, call := range c.Calls() {
		if call.To == number {
			last = call
		}
	}
	return last
}

// leg is the second leg of a call's latest transfer, as its report has it.
type leg struct {
	Mode, Status string
	Leg          struct {
		Status, Error        string
		SIPCode              int
		AnsweredAt, JoinedAt time.Time
		DurationSeconds      float64
	}
}

// legs are the transfers of a call that is over.
func (p *platform) legs(callID string) []leg {
	p.t.Helper()
	p.server.waitReport(p.t, callID)
	var reports struct {
		Data []struct {
			Message struct{ Artifact struct{ Transfers []leg } }
		}
	}
	p.call(http.MethodGet, "/v1/events?type=end-of-call-report&call_id="+callID, nil, http.StatusOK, &reports)
	require.Len(p.t, reports.Data, 1)
	return reports.Data[0].Message.Artifact.Transfers
}

func isBeep(frame []int16) bool { return isLoud(frame) && audio.Purity(frame, 1000) > 0.9 }

// TestCallersArePutThroughOnOurLegs has a carrier refuse REFER: the desk is rung, and caller and desk hear each other. The desk
// sends back what it hears, so that the recording has the caller's sound on both sides.
func TestCallersArePutThroughOnOurLegs(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), false)
	outside := startReferless(t, simnet.Step{Echo: 300 * time.Millisecond, Gain: -6}, simnet.Step{Wait: 8 * time.Second})
	p.greet()
	p.call(http.MethodPatch, "/v1/assistants/"+p.assistantID, map[string]any{
		"server": map[string]any{"url": p.server.url, "events": []string{"transfer-update", "status-update", "end-of-call-report"}},
	}, http.StatusOK, nil)
	worker := p.startWorker(append(hearing(), outside.overCarrier()...)...)
	steps := []simnet.Step{{Wait: time.Second}, {Press: "4"}, {Beep: time.Second}}
	for range 6 {
		steps = append(steps, steps[:3]...)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := outside.Call(t.Context(), worker.address("SIP gateway"), callerNumber, ourNumber,
			simnet.Script{Steps: append(steps, simnet.Step{Wait: time.Minute})})
		ended <- err
	}()
	id := p.inbound("in-progress").CallID
	told := p.tell(id, map[string]any{"type": "transfer", "phone_number": deskNumber})
	p.requireTransferred(id, "started "+deskNumber, "completed "+deskNumber)
	require.NoError(t, <-ended)
	require.Equal(t, "done", p.outcomes(id)[told.ID])
	require.Equal(t, 1, outside.times(deskNumber))
	require.Contains(t, outside.seen(deskNumber).Digits, "4")
	recorded := p.recording(id).Channels
	require.Greater(t, sounding(recorded[0], isBeep), time.Second, "the caller is recorded")
	require.Greater(t, sounding(recorded[1], isBeep), 500*time.Millisecond, "and what the desk sent, which has heard it")
	transfers := p.legs(id)
	require.Len(t, transfers, 1)
	require.Equal(t, "completed", transfers[0].Leg.Status, "%+v", transfers)
	require.False(t, transfers[0].Leg.JoinedAt.IsZero())
	require.Greater(t, transfers[0].Leg.DurationSeconds, 6.0)
	worker.stop()
}

// TestBridgeOfAKilledWorker kills the worker of a caller who talks to a colleague: the record says so, and both are hung up.
func TestBridgeOfAKilledWorker(t *testing.T) {
	t.Parallel()
	long(t)

	p := startPlatform(t, dbtest.DSN(t), false)
	outside := startReferless(t, simnet.Step{Press: "1"}, simnet.Step{Wait: 10 * time.Minute})
	doomed := p.startWorker(outside.overCarrier()...)
	ringing := p.direct("+31612345616") // who is hung up while the colleague's telephone rings
	p.waitStatus(ringing, "in-progress")
	p.tell(ringing, map[string]any{"type": "transfer", "phone_number": "+31201234502"})
	require.Eventually(t, func() bool { return outside.times("+31201234502") == 1 }, time.Minute, 20*time.Millisecond)
	p.hangUp(ringing)
	require.Equal(t, "manually-canceled", p.waitStatus(ringing, "completed", "failed").EndedReason)
	require.Equal(t, "canceled", p.legs(ringing)[0].Leg.Status)

	id := p.direct("+31612345606")
	p.waitStatus(id, "in-progress")
	told := p.tell(id, map[string]any{"type": "transfer", "phone_number": deskNumber})
	require.Eventually(t, func() bool { return p.outcomes(id)[told.ID] == "done" }, time.Minute, 20*time.Millisecond)
	require.Equal(t, "forwarding", p.get(id).Status)
	survivor := p.startWorker(outside.overCarrier()...)
	doomed.kill()
	require.Equal(t, "worker-lost", p.waitStatus(id, "failed").EndedReason)
	leg := p.legs(id)[0]
	require.Equal(t, "failed", leg.Leg.Status)
	require.Contains(t, leg.Leg.Error, "died")
	require.Eventually(t, func() bool {
		return !outside.seen(deskNumber).EndedAt.IsZero() && !outside.seen("+31612345606").EndedAt.IsZero()
	}, time.Minute, 20*time.Millisecond, "nobody said BYE")
	require.Equal(t, 1, outside.times(deskNumber))
	survivor.stop()
}

// TestWarmTransfers has the assistant ring colleagues and speak to them first. A caller whom nobody takes comes back.
func TestWarmTransfers(t *testing.T) {
	t.Parallel()
	long(t)

	p := startPlatform(t, dbtest.DSN(t), true)
	p.run("limits", p.account, "--max-concurrent-calls=30")
	worker := p.startWorker()
	const caller, nobody = "+31612345612", "Nobody is there."
	transfers := map[string]struct {
		to     string
		plan   map[string]any
		status string // of the second leg
	}{
		"bridged": {"+31201234506", map[string]any{"sipVerb": "dial"}, ""},
		"message": {"+31201234500", map[string]any{"mode": "warm-transfer-say-message", "message": "Jan is on the line."}, ""},
		"summary": {"+31201234509", map[string]any{"mode": "warm-transfer-wait-for-operator-to-speak-first-and-then-say-summary",
			"timeout": 40}, ""},
		"busy":      {"+31201234501", map[string]any{"mode": "warm-transfer-say-message"}, "busy"},
		"no answer": {"+31201234502", map[string]any{"mode": "warm-transfer-say-summary", "dialTimeout": 3}, "no-answer"},
		"machine":   {"+31201234504", map[string]any{"mode": "warm-transfer-say-message"}, "voicemail"},
		"declined":  {"+31201234503", map[string]any{"sipVerb": "dial"}, "declined"},
		"taken":     {"+31201234500", asking("when moment: call transferSuccessful {}"), ""},
		"not taken": {"+31201234508", asking(`when long: call transferCancel {"reason": "in a meeting"}`), "declined"},
	}
	calls, told := map[string]string{}, map[string]command{}
	for name, transfer := range transfers {
		calls[name] = p.direct(caller)
		transfer.plan["fallbackPlan"] = map[string]any{"message": nobody, "endCallEnabled": true}
	}
	for name, id := range calls {
		p.waitStatus(id, "in-progress")
		told[name] = p.tell(id, map[string]any{"type": "transfer", "phone_number": transfers[name].to,
			"transfer_plan": transfers[name].plan})
	}
	for name, transfer := range transfers {
		if transfer.status == "" {
			require.Eventually(t, func() bool { return p.outcomes(calls[name])[told[name].ID] == "done" }, time.Minute,
				50*time.Millisecond, name)
			status, _ := p.try(http.MethodPost, "/v1/calls/"+calls[name]+"/end", nil)
			require.Contains(t, []int{http.StatusAccepted, http.StatusConflict}, status, "the colleague may have hung up before")
		}
		call := p.waitStatus(calls[name], "completed", "failed")
		require.Equal(t, "completed", call.Status, "%s: %+v", name, call)
		got := p.legs(calls[name])
		require.Len(t, got, 1, name)
		if transfer.status == "" {
			require.Equal(t, "completed", got[0].Leg.Status, "%s: %+v", name, got)
			require.False(t, got[0].Leg.JoinedAt.IsZero(), name)
			continue
		}
		require.Equal(t, transfer.status, got[0].Leg.Status, "%s: %+v", name, got)
		require.Contains(t, texts(call), nobody, name)
		require.Equal(t, "assistant-ended-call-after-message-spoken", call.EndedReason, name)
	}
	worker.stop()
}

// asking is a plan that has the assistant ask the colleague, by a rule of the scripted model.
func asking(rule string) map[string]any {
	return map[string]any{"mode": "warm-transfer-experimental", "transferAssistant": map[string]any{
		"model": map[string]any{"messages": []any{map[string]any{"role": "system", "content": rule}}},
	}}
}

// TestPagesArePutThrough has the colleague that a page is put through to send back what is heard, until the page hangs up.
func TestPagesArePutThrough(t *testing.T) {
	t.Parallel()

	p := startPlatform(t, dbtest.DSN(t), false)
	outside := startReferless(t, simnet.Step{Echo: 100 * time.Millisecond}, simnet.Step{Wait: 10 * time.Minute})
	worker := p.startWorker(append(outside.overCarrier(), "--web-listen=127.0.0.1:0", "--web-tcp-listen=127.0.0.1:0")...)
	caller := p.openPage(t, "", webrtctest.Options{Codec: webrtc.MimeTypePCMU})
	caller.call()
	p.waitStatus(caller.id, "in-progress")
	told := p.tell(caller.id, map[string]any{"type": "transfer", "phone_number": deskNumber})
	require.Eventually(t, func() bool { return p.outcomes(caller.id)[told.ID] == "done" }, time.Minute, 20*time.Millisecond)
	require.Equal(t, "forwarding", p.get(caller.id).Status)

	stop := caller.hum(callerTone)
	require.True(t, caller.hears(toneOf(callerTone)), "the colleague and the page do not hear each other")
	stop()
	require.NoError(t, caller.Tell(map[string]any{"type": "hang-up"}))
	require.Equal(t, "assistant-forwarded-call", p.waitStatus(caller.id, "completed", "failed").EndedReason)
	require.Eventually(t, func() bool { return !outside.seen(deskNumber).EndedAt.IsZero() }, time.Minute, 20*time.Millisecond,
		"nobody said BYE")
	require.Equal(t, 1, outside.times(deskNumber))
	require.Equal(t, "completed", p.legs(caller.id)[0].Leg.Status)
	worker.stop()
}
