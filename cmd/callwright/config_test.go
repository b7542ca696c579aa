package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"
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

// Settings that name something that cannot be are refused at the start, by their names.
func TestSettingsThatCannotBe(t *testing.T) {
	t.Parallel()

	for _, address := range []string{"voice.example.com", "ftp://voice.example.com", "https://"} {
		_, err := publicFlags{PublicURL: address}.public()
		require.ErrorContains(t, err, "--public-url (CALLWRIGHT_PUBLIC_URL)", address)
	}
	address, err := publicFlags{PublicURL: "https://voice.example.com/"}.public()
	require.NoError(t, err)
	require.Equal(t, "https://voice.example.com", address)

	account := sipFlags{TrunkUsername: "us", RegistersPerSecond: 50}
	_, err = account.own()
	require.ErrorContains(t, err, "need --trunk-proxy")

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = fileFlags{FilesDir: filepath.Join(file, "folder")}.store()
	require.ErrorContains(t, err, "--files-dir (CALLWRIGHT_FILES_DIR)")
}

func TestMissingFlagsAreNamedWithTheirVariables(t *testing.T) {
	t.Parallel()

	parser, err := kong.New(&struct {
		Key string `required:"" env:"CALLWRIGHT_A_KEY_OF_THIS_TEST"`
	}{})
	require.NoError(t, err)
	_, err = parser.Parse(nil)
	require.EqualError(t, nameVariables(err), "missing flags: --key=STRING (CALLWRIGHT_A_KEY_OF_THIS_TEST)")
}
