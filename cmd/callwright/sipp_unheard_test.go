package main

import (
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/webrtc/v4"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/providers/peertest"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/audio/audiotest"
	"github.com/callwright/callwright/voice/sip/siptest"
	"github.com/callwright/callwright/voice/webrtc/webrtctest"
)

// TestColleagueWhomNobodyUnderstands puts callers through on a worker without a recogniser, to a telephone that sends no captions: who
// has heard the message and stays has the caller, and who is asked takes it with a key.
func TestColleagueWhomNobodyUnderstands(t *testing.T) {
	t.Parallel()

	peertest.Require(t, "sipp")
	yes := asking("when /entry: 1/: call transferSuccessful {}\nwhen /entry: 2/: call transferCancel {}")
	for name, test := range map[string]struct {
		plan map[string]any
		act  func(desk *deskPhone)
	}{
		"Message": {map[string]any{"mode": "warm-transfer-say-message", "message": "Here is Jan, who moved to another town in " +
			"the spring. He has a question about the invoice of last month, which he has paid twice, and he wants to know when he may " +
			"have his money back."}, func(*deskPhone) {}},
		"Hello": {
			map[string]any{"mode": "warm-transfer-wait-for-operator-to-speak-first-and-then-say-message"},
			func(desk *deskPhone) {
				stop := desk.play(audiotest.Recording(desk.t, "../../voice/vad/testdata/utterance.wav"))
				require.True(desk.t, desk.hears(isLoud), "the colleague hears no message")
				stop()
			},
		},
		"Key": {yes, func(desk *deskPhone) {
			desk.answer('1')
		}},
		"OtherKey": {yes, func(desk *deskPhone) {
			desk.answer('2')
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startPlatform(t, dbtest.DSN(t), false)
			desk, port := openDeskPhone(t), siptest.FreePort(t)
			proxy := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
			worker := p.startWorker("--trunk-proxy="+proxy, "--sip-listen=127.0.0.1:0", "--public-ip=127.0.0.1",
				"--web-listen=127.0.0.1:0", "--web-tcp-listen=127.0.0.1:0")
			caller := p.openPage(t, "", webrtctest.Options{Codec: webrtc.MimeTypePCMU})
			caller.call()
			p.waitStatus(caller.id, "in-progress")
			ended := runSipp(t, filepath.Join("testdata", "uas_colleague.xml"), proxy, "-key", "rtp_port", desk.port())
			siptest.AwaitBound(t, "udp", port)
			told := p.tell(caller.id, map[string]any{"type": "transfer", "phone_number": deskNumber, "transfer_plan": test.plan})
			test.act(desk)
			if name == "OtherKey" {
				caller.see("transcript", "Sorry, I could not put you through.")
			} else {
				require.Eventually(t, func() bool { return p.outcomes(caller.id)[told.ID] == "done" }, time.Minute, 20*time.Millisecond)
				stop := caller.hum(callerTone)
				require.True(t, desk.hears(toneOf(callerTone)), "the colleague does not hear the caller")
				stop()
			}
			require.NoError(t, caller.Tell(map[string]any{"type": "hang-up"}))
			require.NoError(t, <-ended, "sipp")
			p.waitStatus(caller.id, "completed")
			require.Equal(t, map[bool]string{true: "declined", false: "completed"}[name == "OtherKey"], p.legs(caller.id)[0].Leg.Status)
			worker.stop()
		})
	}
}

// TestColleagueWhomTheRecogniserFails has the recogniser hear the caller and refuse the colleague, who takes the call with a key.
func TestColleagueWhomTheRecogniserFails(t *testing.T) {
	t.Parallel()

	peertest.Require(t, "sipp")
	var heard atomic.Int32
	refused := make(chan struct{})
	vendor := faultyVendor{stream: func(w http.ResponseWriter, r *http.Request) {
		switch heard.Add(1) {
		case 1:
			hearsNothing(w, r)
			return
		case 4:
			close(refused)
		}
		answersStatus(http.StatusServiceUnavailable)(w, r)
	}}
	p := startPlatform(t, dbtest.DSN(t), false)
	desk, port := openDeskPhone(t), siptest.FreePort(t)
	proxy := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	worker := p.startWorker("--trunk-proxy="+proxy, "--sip-listen=127.0.0.1:0", "--public-ip=127.0.0.1",
		"--web-listen=127.0.0.1:0", "--web-tcp-listen=127.0.0.1:0",
		"--stt-provider=deepgram", "--stt-base-url="+vendor.serve(t), "--stt-key=k")
	caller := p.openPage(t, "", webrtctest.Options{Codec: webrtc.MimeTypePCMU})
	caller.call()
	p.waitStatus(caller.id, "in-progress")
	ended := runSipp(t, filepath.Join("testdata", "uas_colleague.xml"), proxy, "-key", "rtp_port", desk.port())
	siptest.AwaitBound(t, "udp", port)
	told := p.tell(caller.id, map[string]any{"type": "transfer", "phone_number": deskNumber,
		"transfer_plan": asking("when /entry: 1/: call transferSuccessful {}")})
	silence := desk.play(make([]int16, audio.Rate))
	select {
	case <-refused:
	case <-time.After(time.Minute):
		t.Fatal("the recogniser is asked less than three times for the colleague")
	}
	desk.press('1')
	require.Eventually(t, func() bool { return p.outcomes(caller.id)[told.ID] == "done" }, time.Minute, 20*time.Millisecond)
	silence()
	stop := caller.hum(callerTone)
	require.True(t, desk.hears(toneOf(callerTone)), "the colleague does not hear the caller")
	stop()
	require.NoError(t, caller.Tell(map[string]any{"type": "hang-up"}))
	require.NoError(t, <-ended, "sipp")
	p.waitStatus(caller.id, "completed")
	require.Equal(t, "completed", p.legs(caller.id)[0].Leg.Status)
	worker.stop()
}

// answer presses a key when the telephone rang and a question came.
func (h *deskPhone) answer(key byte) {
	h.t.Helper()
	stop := h.play(make([]int16, audio.Rate))
	defer stop()
	require.True(h.t, h.hears(isLoud), "the colleague is not asked")
	h.press(key)
	require.True(h.t, h.hears(func(frame []int16) bool { return !isLoud(frame) }), "the question goes on")
}
