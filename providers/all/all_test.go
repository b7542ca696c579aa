package all_test

import (
	"io"
	"log/slog"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/providers/embed/embedtest"
	"github.com/callwright/callwright/providers/faulttest"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/llm/llmtest"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/stt/stttest"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/ttstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func build(t *testing.T, cfg all.Speech) *all.Providers {
	t.Helper()
	p, err := all.New(cfg, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

func TestWithoutSettingsEverythingIsLocal(t *testing.T) {
	t.Parallel()
	p := build(t, all.Speech{})
	model, known := p.LLM("")
	require.True(t, known)
	require.Equal(t, "scripted", model.Name())
	ear, known := p.STT("openai")
	require.False(t, known)
	require.Equal(t, "captions", ear.Name())
	voice, known := p.TTS("espeak")
	require.True(t, known)
	require.Equal(t, "espeak,flite", voice.Name())
	voice, _ = p.TTS("")
	require.Equal(t, "flite,espeak", voice.Name())
	require.NoError(t, voice.Warm(t.Context(), tts.Request{Text: "Hello."}))
}

// vendor is a server of all three families that says which model it was asked for.
func vendor(t *testing.T) string {
	t.Helper()
	return faulttest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+faulttest.Key {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		io.Copy(io.Discard, r.Body)
		switch r.URL.Path {
		case "/v1/chat/completions":
			io.WriteString(w, `data: {"choices":[{"delta":{"content":"Hello."},"finish_reason":"stop"}]}`+"\n\n")
		case "/v1/audio/transcriptions":
			io.WriteString(w, `{"text":"Hello."}`)
		case "/v1/audio/speech":
			w.Header().Set("Content-Type", "audio/pcm")
			w.Write(make([]byte, 48_000))
		}
	})
}

func TestServers(t *testing.T) {
	t.Parallel()
	settings := all.Settings{Provider: "openai-compatible", BaseURL: vendor(t), APIKey: faulttest.Key, Model: "m"}
	wrong := settings
	wrong.APIKey = "wrong"
	local := func(name string) all.Settings { return all.Settings{Provider: name} }
	p := build(t, all.Speech{
		LLM: []all.Settings{settings, local("scripted")},
		STT: []all.Settings{settings, local("captions")},
		TTS: []all.Settings{wrong, local("flite")},
	})
	question := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "goodbye"}}}
	first, _ := p.LLM("")
	text, _, err := llmtest.Ask(t.Context(), first, question)
	require.NoError(t, err)
	require.Equal(t, "Hello.", text)
	chosen, _ := p.LLM("scripted")
	text, _, err = llmtest.Ask(t.Context(), chosen, question)
	require.NoError(t, err)
	require.Equal(t, "Thank you for calling. Goodbye.", text)

	ear, _ := p.STT("")
	stream, err := ear.Open(t.Context(), stt.Options{})
	require.NoError(t, err)
	defer stream.Close()
	require.NoError(t, stream.Write(stttest.Speech()))
	stream.EndOfSpeech()
	require.Equal(t, "Hello.", stttest.Final(t, stream))

	voice, _ := p.TTS("")
	sound, err := ttstest.Collect(t.Context(), voice, tts.Request{Text: "Hello."})
	require.NoError(t, err)
	require.Greater(t, ttstest.Level(sound), -45.0) // the server's sound is silent
}

func TestSettingsThatCannotBe(t *testing.T) {
	t.Parallel()
	for want, settings := range map[string]all.Settings{
		`"acme" is not known; known are scripted, openai`: {Provider: "acme"},
		"openai: its API key must be set":                 {Provider: "openai"},
		"base URL must be set":                            {Provider: "openai-compatible", Model: "m"},
		"model must be set":                               {Provider: "openai-compatible", BaseURL: "http://x/v1"},
		"not an absolute http":                            {Provider: "ollama", BaseURL: "localhost:11434"},
		"format":                                          {Provider: "scripted", Format: "mp3"},
	} {
		_, err := all.New(all.Speech{LLM: []all.Settings{settings}}, slog.New(slog.DiscardHandler))
		require.ErrorContains(t, err, "LLM provider")
		require.ErrorContains(t, err, want)
	}
	_, err := all.New(all.Speech{STT: []all.Settings{{Provider: "x"}}}, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "STT provider")
	_, err = all.New(all.Speech{TTS: []all.Settings{{Provider: "x"}}}, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "TTS provider")
}

func TestEmbedder(t *testing.T) {
	t.Parallel()
	url := embedtest.Serve(t, embedtest.NewFake("fake"))
	model, err := all.Embedder(all.Settings{Provider: "openai-compatible", BaseURL: url, Model: "m", Dimensions: 384})
	require.NoError(t, err)
	require.Equal(t, "m/384", model.Model())
	vectors, err := model.Embed(t.Context(), []string{"Hello."})
	require.NoError(t, err)
	require.Len(t, vectors[0], 384)
	for want, settings := range map[string]all.Settings{
		`"acme" is not known; known are openai, ollama`: {Provider: "acme"},
		"API key must be set":                           {Provider: "openai"},
		"9000 dimensions are not 1 to 8192":             {Provider: "ollama", Dimensions: 9000},
	} {
		_, err := all.Embedder(settings)
		require.ErrorContains(t, err, "embedding provider")
		require.ErrorContains(t, err, want)
	}
}

func TestEveryVendorIsDescribed(t *testing.T) {
	t.Parallel()
	check := func(name, about string) {
		require.NotEmpty(t, name)
		require.NotEmpty(t, about, name)
	}
	for _, v := range all.LLMs() {
		check(v.Name, v.About)
	}
	for _, v := range all.STTs() {
		check(v.Name, v.About)
	}
	for _, v := range all.TTSs() {
		check(v.Name, v.About)
	}
	for _, v := range all.Embedders() {
		check(v.Name, v.About)
	}
}
