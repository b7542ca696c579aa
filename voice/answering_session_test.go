package voice_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/voice/voicetest"
)

// The keys of a menu are pressed once it has named them all, without a word.
func TestAMenuGetsKeys(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		r.session.Script.DetectVoicemail, r.session.Script.Abilities.SendDigits = true, true
		r.stt.Texts = []string{"Welcome to Acme.", "For sales, press one. For support, press two.",
			"Support, this is Kim, how can I help you?"}
		r.llm.Replies = []voicetest.Reply{
			{Pieces: []string{"Menu"}, First: 100 * time.Millisecond}, // behind the welcome
			{Tools: []llm.ToolCall{{ID: "a", Name: "send_digits", Arguments: `{"digits":"2"}`}}, First: 100 * time.Millisecond},
			{Pieces: []string{"Hello Kim."}},
		}
	}, func(r *rig) {
		r.at(500 * time.Millisecond)
		r.leg.Speak(2 * time.Second)
		r.leg.Pause(800 * time.Millisecond)
		r.leg.Speak(4 * time.Second)
		r.leg.Pause(6 * time.Second)
		require.Equal(t, "2", r.leg.Digits())
		require.Empty(t, r.leg.Played(), "nothing is said to a menu")
		r.leg.Speak(3 * time.Second)
		r.leg.Pause(5 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, []string{
		"user: Welcome to Acme. For sales, press one. For support, press two.",
		"user: Support, this is Kim, how can I help you?", "assistant: Hello Kim.",
	}, r.journal.Transcript())
	require.Equal(t, "menu", r.journal.Notes(voice.MachineDetected)[0].Text)
	require.Contains(t, r.llm.Requests()[1].Messages[1].Content, "menu of a machine")
	require.Len(t, r.llm.Requests(), 3, "the keys need no words")
}

// A fast question to the model decides what words leave open; a slow one does not delay the decision.
func TestTheModelKnowsWhoAnswered(t *testing.T) {
	t.Parallel()

	for first, want := range map[time.Duration]string{300 * time.Millisecond: "menu", 5 * time.Second: "phrase"} {
		_, r := converse(t, func(r *rig) {
			r.session.Script.DetectVoicemail = true
			r.stt.Texts = []string{"Hello this is the telephone of Alex who is as you may know very often somewhere on the water"}
			r.llm.Replies = []voicetest.Reply{{Pieces: []string{"It is a menu."}, First: first}, {Hang: true}}
		}, func(r *rig) {
			r.at(500 * time.Millisecond)
			r.leg.Speak(9 * time.Second)
			r.leg.Pause(2500 * time.Millisecond)
			r.leg.RemoteHangup()
		})
		require.Equal(t, want, r.journal.Notes(voice.MachineDetected)[0].Text)
		require.True(t, strings.HasPrefix(r.llm.Requests()[0].Messages[0].Content, "We placed a telephone call."))
	}
}

func TestAFaxIsLeft(t *testing.T) {
	t.Parallel()

	outcome, r := converse(t, func(r *rig) {
		r.session.Script.DetectVoicemail = true
	}, func(r *rig) {
		r.at(500 * time.Millisecond)
		r.leg.Sound(audio.Tone(3*time.Second, -13, 2100))
		r.leg.Pause(3 * time.Second)
	})
	require.Equal(t, turn.Voicemail, outcome.Reason)
	require.EqualError(t, outcome.Err, "a fax answered")
	require.Equal(t, "fax", r.journal.Notes(voice.MachineDetected)[0].Text)
}
