package simnet

import (
	"context"
	"fmt"
	"sync"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/audio"
)

// keepSpeech is how many utterances are remembered; scripts have far fewer.
const keepSpeech = 1000

// speech is what far ends say. It is made once and before they answer: a speaker needs no time
// to find their voice, and a busy machine would make every one of them hesitate.
type speech struct {
	voice tts.Provider

	mu   sync.Mutex
	made map[tts.Request][]int16
}

func newSpeech(voice tts.Provider) *speech {
	return &speech{voice: voice, made: map[tts.Request][]int16{}}
}

// prepare makes all that a script says. What fails now is tried again when it is said.
func (s *speech) prepare(ctx context.Context, script Script) {
	for _, step := range script.Steps {
		if step.Say == "" {
			continue
		}
		if _, err := s.of(ctx, script.Language, step.Say, script.band()); err != nil {
			return
		}
	}
}

// of returns the sound of a text, which nobody may write to.
func (s *speech) of(ctx context.Context, language, text string, band audio.Band) ([]int16, error) {
	asked := tts.Request{Text: text, Language: language, Band: band}
	s.mu.Lock()
	pcm, known := s.made[asked]
	s.mu.Unlock()
	if known {
		return pcm, nil
	}
	for chunk, err := range s.voice.Speak(ctx, asked) {
		if err != nil {
			return nil, fmt.Errorf("speak: %w", err)
		}
		pcm = append(pcm, chunk...)
	}
	if err := ctx.Err(); err != nil { // it may be half of it
		return nil, fmt.Errorf("speak: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.made) >= keepSpeech {
		clear(s.made)
	}
	s.made[asked] = pcm
	return pcm, nil
}
