package bridge_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/bridge"
	"github.com/callwright/callwright/voice/voicetest"
)

// TestMonitor has two listeners hear a call, one of them in another band and the far end alone. Nobody hears anything once
// removed.
func TestMonitor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		far, near := audio.Tone(4*time.Second, -20, 500), audio.Tone(4*time.Second, -20, 1000)
		both, wide := voicetest.NewLeg(), voicetest.NewLeg()
		wide.Sampled = audio.Wide
		var monitor bridge.Monitor
		monitor.Frame(far[:audio.FrameLen], near[:audio.FrameLen]) // nobody listens
		tap, farOnly := monitor.Add(audio.Narrow, both), monitor.Add(audio.Narrow, wide)
		farOnly.FarOnly(true)
		pass := func(frames int) {
			for range frames {
				monitor.Frame(far[:audio.FrameLen], near[:audio.FrameLen])
				far, near = far[audio.FrameLen:], near[audio.FrameLen:]
				time.Sleep(audio.FrameDuration)
			}
		}
		pass(50)
		heard := both.Heard()[audio.Samples(200*time.Millisecond):audio.Samples(800*time.Millisecond)]
		require.InDelta(t, 0.5, audio.Purity(heard, 500), 0.05)
		require.InDelta(t, 0.5, audio.Purity(heard, 1000), 0.05)
		alone := audio.NewConverter(audio.Wide, audio.Narrow).Push(nil, wide.Heard())
		require.Greater(t, audio.Purity(alone[audio.Samples(200*time.Millisecond):audio.Samples(800*time.Millisecond)], 500), 0.95)
		monitor.Remove(tap)
		time.Sleep(time.Second)
		before := len(both.Heard())
		pass(50)
		require.Len(t, both.Heard(), before)
		require.LessOrEqual(t, wide.Queued(), 60*time.Millisecond)
	})
}

// TestASlowListenerHoldsUpNobody has frames come faster than a leg plays them: what it cannot play is left out.
func TestASlowListenerHoldsUpNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		leg := voicetest.NewLeg()
		var monitor bridge.Monitor
		monitor.Add(audio.Narrow, leg)
		loud := tone(audio.Narrow)
		for range 1000 {
			monitor.Frame(loud, loud)
		}
		require.LessOrEqual(t, leg.Queued(), 300*time.Millisecond)
	})
}
