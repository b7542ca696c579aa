package all

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/callwright/callwright/providers/embed"
	embedopenai "github.com/callwright/callwright/providers/embed/openai"
	"github.com/callwright/callwright/providers/llm"
	llmopenai "github.com/callwright/callwright/providers/llm/openai"
	"github.com/callwright/callwright/providers/llm/scripted"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/stt/captions"
	"github.com/callwright/callwright/providers/stt/deepgram"
	sttopenai "github.com/callwright/callwright/providers/stt/openai"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/elevenlabs"
	"github.com/callwright/callwright/providers/tts/espeak"
	ttsopenai "github.com/callwright/callwright/providers/tts/openai"
)

// Vendor is an entry of the list, with the defaults of settings. A vendor with a BaseURL, default or required, is a
// server; the others run on this machine.
type Vendor[P any] struct {
	Name     string
	Alias    string // another name in settings and assistants; empty: none
	About    string // one line for documentation and --help
	BaseURL  string
	Model    string
	NeedsURL bool
	NeedsKey bool
	make     func(*builder, Settings) P
}

// builder is what providers share while they are built.
type builder struct {
	http    *http.Client
	logger  *slog.Logger
	closing []func() // of providers with their own connections
}

const (
	openaiURL     = "https://api.openai.com/v1"
	groqURL       = "https://api.groq.com/openai/v1"
	ollamaURL     = "http://127.0.0.1:11434/v1"
	deepgramURL   = "https://api.deepgram.com/v1"
	elevenlabsURL = "https://api.elevenlabs.io/v1"
)

// LLMs returns the language models.
func LLMs() []Vendor[llm.Provider] {
	remote := func(b *builder, s Settings) llm.Provider {
		return llmopenai.New(llmopenai.Config{
			Name: s.Provider, BaseURL: s.BaseURL, APIKey: s.APIKey, Model: s.Model, HTTP: b.http})
	}
	return []Vendor[llm.Provider]{
		{Name: "scripted", About: "follows rules in the instructions; needs nothing",
			make: func(*builder, Settings) llm.Provider { return scripted.New() }},
		{Name: "openai", About: "OpenAI", BaseURL: openaiURL, Model: "gpt-4o-mini", NeedsKey: true, make: remote},
		{Name: "groq", About: "Groq", BaseURL: groqURL, Model: "llama-3.3-70b-versatile", NeedsKey: true, make: remote},
		{Name: "ollama", About: "Ollama on this machine, or where its base URL says", BaseURL: ollamaURL,
			Model: "llama3.2", make: remote},
		{Name: "openai-compatible", About: "any server of OpenAI's chat completions, such as vLLM, llama.cpp or LocalAI",
			NeedsURL: true, make: remote},
	}
}

// STTs returns the speech recognisers.
func STTs() []Vendor[stt.Provider] {
	remote := func(b *builder, s Settings) stt.Provider {
		return sttopenai.New(sttopenai.Config{
			Name: s.Provider, BaseURL: s.BaseURL, APIKey: s.APIKey, Model: s.Model, HTTP: b.http})
	}
	live := func(b *builder, s Settings) stt.Provider {
		return deepgram.New(deepgram.Config{
			Name: s.Provider, BaseURL: s.BaseURL, APIKey: s.APIKey, Model: s.Model, HTTP: b.http})
	}
	return []Vendor[stt.Provider]{
		{Name: "captions", About: "text that the far end sends beside its voice, as the simulated network does; needs nothing",
			make: func(b *builder, _ Settings) stt.Provider { return captions.New(b.logger) }},
		{Name: "openai", About: "OpenAI", BaseURL: openaiURL, Model: "gpt-4o-mini-transcribe", NeedsKey: true, make: remote},
		{Name: "groq", About: "Groq", BaseURL: groqURL, Model: "whisper-large-v3-turbo", NeedsKey: true, make: remote},
		{Name: "deepgram", About: "Deepgram, which hears while it is spoken", BaseURL: deepgramURL, Model: "nova-3",
			NeedsKey: true, make: live},
		{Name: "openai-compatible", About: "any server of OpenAI's transcriptions, such as speaches, vLLM or LocalAI",
			NeedsURL: true, make: remote},
	}
}

// TTSs returns the speech synthesisers.
func TTSs() []Vendor[tts.Provider] {
	remote := func(b *builder, s Settings) tts.Provider {
		return ttsopenai.New(ttsopenai.Config{Name: s.Provider, BaseURL: s.BaseURL, APIKey: s.APIKey,
			Model: s.Model, Voice: s.Voice, Format: s.Format, HTTP: b.http})
	}
	live := func(b *builder, s Settings) tts.Provider {
		provider := elevenlabs.New(elevenlabs.Config{Name: s.Provider, BaseURL: s.BaseURL, APIKey: s.APIKey,
			Model: s.Model, Voice: s.Voice, HTTP: b.http})
		b.closing = append(b.closing, provider.Close)
		return provider
	}
	return []Vendor[tts.Provider]{
		{Name: "flite", About: "the built-in voice, English, in two variants: kal and slt; needs nothing",
			make: func(b *builder, s Settings) tts.Provider {
				return newLocalVoice(cmp.Or(s.Voice, assistantVoice), b.logger)
			}},
		{Name: "espeak", About: "the program espeak-ng on this machine; needs no key",
			make: func(_ *builder, s Settings) tts.Provider { return espeak.New(espeak.Config{Voice: s.Voice}) }},
		{Name: "openai", About: "OpenAI", BaseURL: openaiURL, Model: "gpt-4o-mini-tts", NeedsKey: true, make: remote},
		{Name: "elevenlabs", Alias: "11labs", About: "ElevenLabs; its voices are called by their ids", BaseURL: elevenlabsURL,
			Model: "eleven_flash_v2_5", NeedsKey: true, make: live},
		{Name: "openai-compatible", About: "any server of OpenAI's speech, such as speaches or LocalAI",
			NeedsURL: true, make: remote},
	}
}

// Embedders returns the embedding models.
func Embedders() []Vendor[embed.Provider] {
	remote := func(b *builder, s Settings) embed.Provider {
		return embedopenai.New(embedopenai.Config{
			Name: s.Provider, BaseURL: s.BaseURL, APIKey: s.APIKey, Model: s.Model, Dimensions: s.Dimensions, HTTP: b.http})
	}
	return []Vendor[embed.Provider]{
		{Name: "openai", About: "OpenAI", BaseURL: openaiURL, Model: "text-embedding-3-small", NeedsKey: true, make: remote},
		{Name: "ollama", About: "Ollama on this machine, or where its base URL says", BaseURL: ollamaURL, Model: "bge-m3",
			make: remote},
		{Name: "openai-compatible", About: "any server of OpenAI's embeddings, such as vLLM, Text Embeddings Inference or LocalAI",
			NeedsURL: true, make: remote},
	}
}

// called reports whether name means v.
func (v Vendor[P]) called(name string) bool { return name == v.Name || name != "" && name == v.Alias }

// complete fills in the vendor's defaults, and returns which field of the settings cannot be and what is wrong with it.
func (v Vendor[P]) complete(s *Settings) (field, wrong string) {
	if s.BaseURL == "" {
		s.BaseURL = v.BaseURL
	}
	if s.Model == "" {
		s.Model = v.Model
	}
	switch {
	case v.NeedsURL && s.BaseURL == "":
		return "BaseURL", "its base URL must be set"
	case v.NeedsURL && s.Model == "":
		return "Model", "its model must be set"
	case v.NeedsKey && s.APIKey == "":
		return "APIKey", "its API key must be set"
	case s.Format != "" && s.Format != ttsopenai.FormatPCM && s.Format != ttsopenai.FormatWAV:
		return "Format", fmt.Sprintf("format %q is neither %s nor %s", s.Format, ttsopenai.FormatPCM, ttsopenai.FormatWAV)
	case s.Dimensions < 0 || s.Dimensions > embed.MaxDimensions:
		return "Dimensions", fmt.Sprintf("%d dimensions are not 1 to %d", s.Dimensions, embed.MaxDimensions)
	}
	if s.BaseURL == "" {
		return "", ""
	}
	base, err := url.Parse(s.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return "BaseURL", "its base URL is not an absolute http or https URL"
	}
	return "", ""
}
