package voice

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/sentence"
)

func TestLanguageCode(t *testing.T) {
	t.Parallel()

	for tag, want := range map[string]string{"nl": "nl", "nl-NL": "nl", "EN_us": "en", "fil-PH": "fil", "": "", "multi": "", "auto": "", "x": ""} {
		require.Equal(t, want, languageCode(tag), tag)
	}
	script := DefaultScript()
	script.Language = "multi"
	require.Empty(t, script.speech("Hello.").Language, "no voice has that language")
}

func TestFixedSpeech(t *testing.T) {
	t.Parallel()

	texts := func(script Script) []string {
		var all []string
		for _, request := range script.FixedSpeech() {
			require.Equal(t, tts.Request{Text: request.Text, Voice: "ava", Model: "m", Language: "nl"}, request)
			all = append(all, request.Text)
		}
		return all
	}
	script := DefaultScript()
	script.Voice, script.Language = Voice{Name: "ava", Model: "m"}, "nl-NL"
	dutch := fixedTextsIn("nl")
	script.FirstMessage = "Goedemiddag. Met de praktijk."
	require.Equal(t, []string{"Goedemiddag.", "Met de praktijk.", dutch.moment}, texts(script)[:3])
	require.Subset(t, texts(script), sentence.Split(dutch.goodbye+" "+dutch.apology))
	require.NotContains(t, texts(script), sentence.Split(dutch.noLine)[0])

	script.EndCallMessage, script.Abilities.Transfers = "Dag.", []Destination{{Name: "Jan", Announcement: "Hier komt Jan."}}
	script.Idle.Messages, script.Idle.SilenceMessage = []string{"Bent u er nog?", "Hallo?"}, "Ik hoor niemand."
	require.Subset(t, texts(script), []string{"Hier komt Jan.", "Bent u er nog?", "Hallo?", "Ik hoor niemand."})
	require.Contains(t, texts(script), "Dag.")
	require.NotContains(t, texts(script), sentence.Split(dutch.goodbye)[0])
	require.Contains(t, texts(script), sentence.Split(dutch.noLine)[0])
	for _, mode := range []FirstMessageMode{AssistantWaitsForUser, AssistantSpeaksFirstGenerated} {
		script.FirstMessageMode = mode
		require.Equal(t, dutch.moment, texts(script)[0])
	}
}
