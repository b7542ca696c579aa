package all

import (
	"log/slog"

	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/stt"
	"github.com/callwright/callwright/providers/tts"
)

// Singles are the vendors that were chosen, each by itself: none stands in for another, so a failure is seen. A family without
// a choice is empty.
type Singles struct {
	LLM []llm.Provider
	STT []stt.Provider
	TTS []tts.Provider

	builder *builder
}

// NewSingles builds the providers of cfg. Its errors name the family and the setting.
func NewSingles(cfg Speech, logger *slog.Logger) (*Singles, error) {
	b := &builder{http: openaihttp.NewClient(), logger: logger}
	llms, err := build(b, "LLM", LLMs(), cfg.LLM)
	if err != nil {
		return nil, err
	}
	stts, err := build(b, "STT", STTs(), cfg.STT)
	if err != nil {
		return nil, err
	}
	ttss, err := build(b, "TTS", TTSs(), cfg.TTS)
	if err != nil {
		return nil, err
	}
	return &Singles{LLM: unnamed(llms), STT: unnamed(stts), TTS: unnamed(ttss), builder: b}, nil
}

// Close closes idle connections.
func (s *Singles) Close() {
	for _, end := range s.builder.closing {
		end()
	}
	s.builder.http.CloseIdleConnections()
}

func unnamed[P any](built []named[P]) []P {
	var providers []P
	for _, one := range built {
		providers = append(providers, one.provider)
	}
	return providers
}
