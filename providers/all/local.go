package all

import (
	"context"
	"iter"
	"log/slog"
	"sync"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/espeak"
	"github.com/callwright/callwright/providers/tts/flite"
)

// The built-in voices. A second of what an assistant says costs a worker as much processor time as a second of all else in its
// call; in the other voice it would be ten times that. The far ends of the simulated network say the same few sentences, each
// of which is made once, and are told apart from the assistant by a voice of the other sex.
const (
	assistantVoice = flite.Kal
	farEndVoice    = flite.Slt
)

// FarEndVoice returns the voice of those whom the simulated phone network has answer.
func FarEndVoice(logger *slog.Logger) tts.Provider { return newLocalVoice(farEndVoice, logger) }

// localVoice is a voice of Flite. Other languages than English are left to espeak-ng where that is installed, unless a request
// names the voice.
type localVoice struct {
	flite  *flite.Provider
	espeak *espeak.Provider
	logger *slog.Logger
	accent sync.Once // it has been said that there is one
}

func newLocalVoice(voice string, logger *slog.Logger) *localVoice {
	return &localVoice{flite: flite.New(flite.Config{Voice: voice}), espeak: espeak.New(espeak.Config{}), logger: logger}
}

// Name implements tts.Provider.
func (v *localVoice) Name() string { return v.flite.Name() }

// Speak implements tts.Provider.
func (v *localVoice) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	if req.Voice != "" || flite.Speaks(req.Language) {
		return v.flite.Speak(ctx, req)
	}
	if v.espeak.Installed() {
		return v.espeak.Speak(ctx, req)
	}
	v.accent.Do(func() {
		v.logger.WarnContext(ctx, "espeak-ng is not installed: the built-in voice speaks with an English accent", "language", req.Language)
	})
	return v.flite.Speak(ctx, req)
}
