package voice

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/sentence"
	"github.com/callwright/callwright/voice/turn"
)

func TestSpeechOfNoLanguage(t *testing.T) {
	t.Parallel()

	script := DefaultScript()
	script.Language = "multi"
	require.Empty(t, script.speech("Hello.", audio.Narrow).Language, "no voice has that language")
}

func TestFixedSpeech(t *testing.T) {
	t.Parallel()

	texts := func(script Script) []string {
		var all []string
		for _, request := range script.FixedSpeech(audio.Narrow) {
			require.Equal(t, tts.Request{Text: request.Text, Voice: "ava", Model: "m", Language: "nl"}, request)
			all = append(all, request.Text)
		}
		return all
	}
	script := DefaultScript()
	script.Voice, script.Language = Voice{Name: "ava", Model: "m"}, "nl-NL"
	dutch := turn.FixedTextsIn("nl")
	script.FirstMessage = "Goedemiddag. Met de praktijk."
	require.Equal(t, []string{"Goedemiddag.", "Met de praktijk.", dutch.Wait}, texts(script)[:3])
	require.Subset(t, texts(script), sentence.Split(dutch.Goodbye+" "+dutch.Apology))
	require.NotContains(t, texts(script), sentence.Split(dutch.TransferFailed)[0])

	script.EndCallMessage, script.Abilities.Transfers = "Dag.", []Destination{{Name: "Jan", Announcement: "Hier komt Jan."}}
	script.Idle.Messages, script.Idle.SilenceMessage = []string{"Bent u er nog?", "Hallo?"}, "Ik hoor niemand."
	require.Subset(t, texts(script), []string{"Hier komt Jan.", "Bent u er nog?", "Hallo?", "Ik hoor niemand."})
	require.Contains(t, texts(script), "Dag.")
	require.NotContains(t, texts(script), sentence.Split(dutch.Goodbye)[0])
	require.Contains(t, texts(script), sentence.Split(dutch.TransferFailed)[0])
	for _, mode := range []turn.FirstMessageMode{turn.AssistantWaitsForUser, turn.AssistantSpeaksFirstGenerated} {
		script.FirstMessageMode = mode
		require.Equal(t, dutch.Wait, texts(script)[0])
	}
}
