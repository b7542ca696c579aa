package voice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/audio"
)

func TestBackground(t *testing.T) {
	t.Parallel()

	talk := func(background voice.Background) *rig {
		_, r := converse(t, func(r *rig) {
			r.session.Script.FirstMessage = "one two three four five six seven eight nine ten"
			r.session.Script.FirstMessageInterruptions = true
			r.session.Script.Background = background
			r.stt.Texts = []string{"I have a question."}
			r.answers("Yes? Tell me.")
		}, func(r *rig) {
			r.leg.Pause(time.Second)
			r.leg.Speak(time.Second)
			r.leg.Pause(4 * time.Second)
			r.leg.RemoteHangup()
		})
		return r
	}
	without := talk(voice.Background{})
	with := talk(voice.Background{Sound: voice.OfficeSound(), Gain: voice.DefaultBackgroundGain})
	require.Equal(t, without.journal.Turns(), with.journal.Turns(), "not a millisecond is different")
	require.Equal(t, without.leg.Captions(), with.leg.Captions())
	require.Len(t, with.leg.Played(), 1, "it never stops")
	require.GreaterOrEqual(t, with.leg.Played()[0].To, 6*time.Second)
	heard := with.leg.Heard()
	pause := heard[audio.Samples(1800*time.Millisecond):audio.Samples(2500*time.Millisecond)]
	require.InDelta(t, -50, audio.Level(pause), 5)
	require.Greater(t, audio.Level(heard[audio.Samples(300*time.Millisecond):audio.Samples(900*time.Millisecond)]), -20.0)
}
