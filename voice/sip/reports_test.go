package sip

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/media"
)

func TestReportsTellLossAndRoundTrip(t *testing.T) {
	t.Parallel()
	for _, encryption := range []SRTP{SRTPOff, SRTPRequired} {
		onCall, legs := answering(t)
		often := func(timers *timers) { timers.report = 50 * time.Millisecond }
		there, here := listenTimed(t, Config{Inbound: onCall}, often), listenTimed(t, Config{}, often)
		caller, err := here.Dial(within(t), Dial{Proxy: there.Addr().String(), To: "1", SRTP: encryption})
		require.NoError(t, err)
		callee := receive(t, legs)
		done := func(s media.Stats) bool { return s.RoundTrip > 0 && s.ReportsIn > 2 && s.ReportsOut > 2 }
		next(t, caller, func(audio.Incoming) bool { return done(caller.Stats()) && done(callee.Stats()) })
		require.Less(t, caller.Stats().RoundTrip, time.Second)
		require.Zero(t, caller.Stats().Strays)
		require.NoError(t, caller.Hangup(within(t)))
	}
}
