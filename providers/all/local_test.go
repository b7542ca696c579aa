package all

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/peertest"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/espeak"
	"github.com/callwright/callwright/providers/tts/ttstest"
	"github.com/callwright/callwright/voice/audio"
)

// installed is espeak-ng that says the same of every text.
func installed(t *testing.T, says []int16) *espeak.Provider {
	t.Helper()
	sound := filepath.Join(t.TempDir(), "sound.wav")
	require.NoError(t, os.WriteFile(sound, audio.EncodeWAV(says, audio.Narrow), 0o600))
	return espeak.New(espeak.Config{Program: peertest.Script(t, "espeak-ng", "exec cat "+sound)})
}

func TestLocalVoice(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	voice := newLocalVoice(assistantVoice, slog.New(slog.NewTextHandler(&log, nil)))
	hear := func(req tts.Request) []int16 {
		t.Helper()
		req.Text = "Uw afspraak is op zaterdag."
		sound, err := ttstest.Collect(t.Context(), voice, req)
		require.NoError(t, err)
		return sound
	}
	english, other := hear(tts.Request{}), []int16{1, 2, 3}

	voice.espeak = installed(t, other)
	require.Equal(t, other, hear(tts.Request{Language: "nl"}))
	require.Equal(t, english, hear(tts.Request{Language: "en"}))
	require.Equal(t, english, hear(tts.Request{Language: "nl", Voice: assistantVoice}))
	require.Empty(t, log.String())

	voice.espeak = espeak.New(espeak.Config{Program: "no-such-program-anywhere"})
	for range 2 {
		require.Equal(t, english, hear(tts.Request{Language: "nl"}))
	}
	require.Equal(t, 1, strings.Count(log.String(), "\n"))
	require.Contains(t, log.String(), "espeak-ng is not installed")
	require.Contains(t, log.String(), "language=nl")
}

func TestAssistantAndFarEndSoundDifferent(t *testing.T) {
	t.Parallel()
	logger := slog.New(slog.DiscardHandler)
	p, err := New(Speech{}, logger)
	require.NoError(t, err)
	defer p.Close()
	assistant, _ := p.TTS("")
	req := tts.Request{Text: "Hello, this is me.", Language: "en"}
	first, err := ttstest.Collect(t.Context(), assistant, req)
	require.NoError(t, err)
	second, err := ttstest.Collect(t.Context(), FarEndVoice(logger), req)
	require.NoError(t, err)
	require.NotEqual(t, first, second)
}
