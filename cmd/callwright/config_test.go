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
	require.ErrorContains(t, err, "--embed-provider (CALLWRIGHT_EMBED_PROVIDER): embedding provider is not chosen; known are openai, ")
}

// What is wrong with a vendor's setting begins with the flag and the variable that give it.
func TestVendorSettingsAreNamed(t *testing.T) {
	t.Parallel()

	for want, flags := range map[string]speechFlags{
		`--llm-provider (CALLWRIGHT_LLM_PROVIDER): LLM provider "foo" is not known; known are scripted, openai, `: {LLM: serviceFlags{Provider: "foo"}},
		"--llm-provider (CALLWRIGHT_LLM_PROVIDER): LLM provider is not chosen; known are ":                        {LLM: serviceFlags{Key: "key"}},
		"--tts-provider (CALLWRIGHT_TTS_PROVIDER): TTS provider is not chosen; known are ":                        {TTS: voiceFlags{Voice: "anna"}},
		"--stt-key (CALLWRIGHT_STT_KEY): STT provider groq: its API key must be set":                              {STT: serviceFlags{Provider: "groq"}},
		"--stt-2-base-url (CALLWRIGHT_STT_2_BASE_URL): STT provider openai-compatible: its base URL must be set": {
			STT: serviceFlags{Provider: "captions"}, STT2: serviceFlags{Provider: "openai-compatible"}},
		"--tts-base-url (CALLWRIGHT_TTS_BASE_URL): TTS provider openai: its base URL is not an absolute": {
			TTS: voiceFlags{serviceFlags: serviceFlags{Provider: "openai", Key: "key", BaseURL: "127.0.0.1:1"}}},
	} {
		_, err := flags.providers(slog.New(slog.DiscardHandler))
		require.ErrorContains(t, err, want)
	}
	_, err := speechFlags{TTS: voiceFlags{serviceFlags: serviceFlags{Provider: "foo"}}}.offer()
	require.ErrorContains(t, err, `--tts-provider (CALLWRIGHT_TTS_PROVIDER): TTS provider "foo" is not known; known are flite, `)
	_, err = serviceFlags{Provider: "openai"}.model(slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "--llm-key (CALLWRIGHT_LLM_KEY): LLM provider openai: its API key must be set")
	_, err = embedFlags{EmbedProvider: "ollama", EmbedDimensions: -1}.embedder()
	require.ErrorContains(t, err, "--embed-dimensions (CALLWRIGHT_EMBED_DIMENSIONS): embedding provider ollama: -1 dimensions")
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
