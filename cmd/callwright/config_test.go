package main

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStandIns(t *testing.T) {
	t.Parallel()

	logger := slog.New(slog.DiscardHandler)
	chosen := speechFlags{
		LLM: serviceFlags{Provider: "openai", Key: "key"}, LLM2: serviceFlags{Provider: "scripted"},
		TTS:  voiceFlags{serviceFlags{Provider: "openai", Key: "key"}, "alloy"},
		TTS2: voiceFlags{serviceFlags: serviceFlags{Provider: "flite"}},
	}
	providers, err := chosen.providers(logger)
	require.NoError(t, err)
	defer providers.Close()
	first, _ := providers.LLM("")
	require.Equal(t, "openai,scripted", first.Name())
	for _, vendor := range []string{"openai", "scripted"} {
		_, known := providers.LLM(vendor)
		require.True(t, known, vendor)
	}
	_, known := providers.TTS("flite")
	require.True(t, known)

	_, err = speechFlags{STT2: serviceFlags{Provider: "captions"}}.providers(logger)
	require.ErrorContains(t, err, "--stt-2-provider: stands in for --stt-provider")
}

func TestEmbedder(t *testing.T) {
	t.Parallel()

	none, err := embedFlags{}.embedder()
	require.NoError(t, err)
	require.Nil(t, none)
	model, err := embedFlags{EmbedProvider: "ollama", EmbedModel: "nomic-embed-text"}.embedder()
	require.NoError(t, err)
	require.Equal(t, "nomic-embed-text", model.Model())
	_, err = embedFlags{EmbedDimensions: 512}.embedder()
	require.ErrorContains(t, err, "embedding provider")
}
