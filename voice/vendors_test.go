package voice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/voicetest"
)

// Tools that a model asks for together work side by side.
func TestToolsRunSideBySide(t *testing.T) {
	t.Parallel()

	two := voicetest.Reply{Tools: []llm.ToolCall{{ID: "a", Name: "book", Arguments: "{}"}, {ID: "b", Name: "book", Arguments: "{}"}}}
	_, r := converse(t, func(r *rig) {
		r.session.Tools = worker{2 * time.Second, "", voice.ToolResult{Content: "booked"}}
		r.stt.Texts = []string{"Book me in twice."}
		r.llm.Replies = []voicetest.Reply{two, {Pieces: []string{"Done."}}}
	}, func(r *rig) {
		r.at(3 * time.Second)
		r.leg.Speak(time.Second)
		r.leg.Pause(6 * time.Second)
		r.leg.RemoteHangup()
	})
	notes := r.journal.Notes(voice.ToolCalled)
	require.Len(t, notes, 2)
	near(t, 0, notes[1].At-notes[0].At)
	require.Equal(t, "b", notes[1].Tool.Call.ID)
}

// A recogniser that owes words for 3.1 s is replaced and put on record; the caller is asked to say it again.
func TestARecogniserThatHangsIsReplaced(t *testing.T) {
	t.Parallel()

	_, r := converse(t, func(r *rig) {
		r.stt.Delay = time.Hour
	}, func(r *rig) {
		r.at(2 * time.Second)
		r.leg.Speak(time.Second)
		r.leg.Pause(6 * time.Second)
		r.leg.RemoteHangup()
	})
	require.Equal(t, "Sorry, I did not catch that.", r.leg.Captions()[1].Text)
	near(t, 6600*time.Millisecond, r.leg.Captions()[1].At)
	failed := r.journal.Notes(voice.ProviderFailed)
	require.Equal(t, "transcriber", failed[0].Text)
	require.ErrorContains(t, failed[0].Err, "owes words")
	require.ErrorContains(t, failed[0].Err, "test: ", "the vendor")
}
