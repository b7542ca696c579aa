package voice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/voicetest"
)

// What is typed is answered as what is said, although no sound comes and the recogniser hears nothing.
func TestTypingInsteadOfSpeaking(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		r.session.Script.FirstMessage = "Linden Dental."
		r.llm.Replies = []voicetest.Reply{{Pieces: []string{"From nine to five."}}}
	}, func(r *rig) {
		r.at(5 * time.Second)
		r.leg.Type("What are your hours?")
		r.leg.Pause(10 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, []string{"assistant: Linden Dental.", "user: What are your hours?", "assistant: From nine to five."},
		r.journal.Transcript())
}

// What is typed at once, before the voice has made a sound of the greeting, is answered, however slow the voice is: a busy machine
// opens the browser's channel before the assistant has begun.
func TestTypingBeforeTheGreeting(t *testing.T) {
	t.Parallel()

	for _, slow := range []time.Duration{0, 100 * time.Millisecond, 2 * time.Second} {
		_, r := converse(t, func(r *rig) {
			r.session.Script.FirstMessage = "Linden Dental."
			r.llm.Replies = []voicetest.Reply{{Pieces: []string{"From nine to five."}}}
			r.tts.First = slow
			r.leg.Type("What are your hours?")
		}, func(r *rig) {
			r.leg.Pause(20 * time.Second)
			r.leg.RemoteHangup()
		})
		require.Contains(t, r.journal.Transcript(), "user: What are your hours?", slow)
		require.Equal(t, "assistant: From nine to five.", r.journal.Transcript()[len(r.journal.Transcript())-1], slow)
		require.NotEmpty(t, r.journal.Notes(voice.SpeechStarted), slow)
	}
}
