package voice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/turn"
)

// greeting is a machine that speaks for 4 s and beeps.
func greeting(r *rig) {
	r.at(500 * time.Millisecond)
	r.leg.Speak(4 * time.Second)
	r.leg.Pause(700 * time.Millisecond)
	r.leg.Sound(audio.Beep(400 * time.Millisecond))
	r.leg.Pause(8 * time.Second)
}

func TestVoicemail(t *testing.T) {
	t.Parallel()

	outcome, r := converse(t, func(r *rig) {
		r.session.Script.DetectVoicemail = true
		r.session.Script.VoicemailMessage = "Please call the practice back."
		r.stt.Texts = []string{"Leave a message after the beep."}
	}, greeting)
	require.Equal(t, turn.Voicemail, outcome.Reason)
	require.Equal(t, turn.FaultCustomer, outcome.Fault)
	require.Equal(t, []string{"user: Leave a message after the beep.", "assistant: Please call the practice back."},
		r.journal.Transcript())
	require.Equal(t, "phrase", r.journal.Notes(voice.MachineDetected)[0].Text)
	require.Len(t, r.leg.Played(), 1)
	near(t, 5700*time.Millisecond, r.leg.Played()[0].From) // the end of the beep, and 0.1 s to make the sound
}

func TestVoicemailWithoutAMessage(t *testing.T) {
	t.Parallel()

	outcome, r := converse(t, func(r *rig) {
		r.session.Script.DetectVoicemail = true
		r.stt.Texts = []string{"Leave a message after the beep."}
	}, greeting)
	require.Equal(t, turn.Voicemail, outcome.Reason)
	require.Empty(t, r.leg.Played())
	require.Equal(t, []string{"user: Leave a message after the beep."}, r.journal.Transcript())
}

func TestAPersonIsGreeted(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		r.session.Script.DetectVoicemail = true
		r.stt.Texts = []string{"Hello, Kim here."}
	}, func(r *rig) {
		r.at(500 * time.Millisecond)
		r.leg.Speak(time.Second)
		r.leg.Pause(4 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, []string{"user: Hello, Kim here.", "assistant: Hello, this is the practice."}, r.journal.Transcript())
	near(t, 2100*time.Millisecond, r.leg.Played()[0].From) // 0.5 s after the hello, 0.1 s to make the sound
	require.Empty(t, r.llm.Requests())
}
