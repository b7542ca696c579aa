package voice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
