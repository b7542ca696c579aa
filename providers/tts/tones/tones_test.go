package tones_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/tones"
	"github.com/callwright/callwright/providers/tts/ttstest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	ttstest.Run(t, tones.New(), tts.Request{Text: "Good morning, dear customer."})
}

func TestItLastsAsLongAsSpeech(t *testing.T) {
	t.Parallel()
	sound, err := ttstest.Collect(t.Context(), tones.New(),
		tts.Request{Text: "We are open from nine to five. Is there anything else that I can do for you today?"})
	require.NoError(t, err)
	seconds := float64(len(sound)) / 8000
	require.Greater(t, seconds, 4.0)
	require.Less(t, seconds, 7.5)
}
