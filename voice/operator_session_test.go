package voice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/bridge"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/voice/voicetest"
)

// bargeIn has a colleague speak to the caller for four seconds of a talk that lasts six, and returns what the talk has come to.
// act is what the caller does two seconds after the answer.
func bargeIn(t *testing.T, band audio.Band, delay time.Duration, act func(leg *voicetest.Leg)) *rig {
	t.Helper()
	_, r := converse(t, func(r *rig) {
		r.leg.Sampled, r.leg.EchoGain, r.leg.EchoDelay = band, 0.5, delay
		r.stt.Texts = []string{"Who is this?"}
		r.session.Operator = voice.NewOperatorLeg(r.leg)
		r.commands <- turn.BargeIn{ID: "ann"}
	}, func(r *rig) {
		colleague := voicetest.NewLeg()
		stop := bridge.Drain(colleague, r.session.Operator)
		spoken := make(chan struct{})
		go func() {
			defer close(spoken)
			colleague.Pause(20 * time.Millisecond) // the assistant has fallen silent
			colleague.Speak(4 * time.Second)
		}()
		r.leg.Pause(2 * time.Second)
		act(r.leg)
		r.leg.Pause(3 * time.Second)
		<-spoken
		stop()
		colleague.RemoteHangup()
		r.leg.RemoteHangup()
	})
	return r
}

// TestTheColleaguesEchoIsNotTheCaller has what a colleague says come back from the caller's telephone: nobody has said anything.
func TestTheColleaguesEchoIsNotTheCaller(t *testing.T) {
	t.Parallel()
	for _, band := range []audio.Band{audio.Narrow, audio.Wide} {
		for _, delay := range []time.Duration{20 * time.Millisecond, 150 * time.Millisecond, 400 * time.Millisecond} {
			r := bargeIn(t, band, delay, func(*voicetest.Leg) {})
			require.Empty(t, r.journal.Transcript())
			require.Zero(t, r.stt.Samples(), "the recogniser never heard it")
		}
	}
}

// TestTheCallerIsHeardOverTheColleague has the caller speak over the colleague's echo.
func TestTheCallerIsHeardOverTheColleague(t *testing.T) {
	t.Parallel()
	r := bargeIn(t, audio.Narrow, 150*time.Millisecond, func(leg *voicetest.Leg) { leg.Speak(time.Second) })
	require.Equal(t, []string{"user: Who is this?"}, r.journal.Transcript())
}
