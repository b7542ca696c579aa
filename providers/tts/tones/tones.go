// Package tones is what is heard when no speech synthesiser can be used: a soft tone for
// each word, about as long as speaking it would take. A call then keeps its rhythm, and
// whoever listens hears that something is missing, instead of silence.
//
// It knows how long words last. It must not be mistaken for speech.
package tones

import (
	"context"
	"iter"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/audio"
)

const (
	name      = "tones"
	rate      = audio.Rate
	perLetter = rate * 65 / 1000 // samples: speech runs at about 15 letters a second
	minWord   = rate * 150 / 1000
	maxWord   = rate * 900 / 1000
	gap       = rate * 60 / 1000
	pause     = rate * 250 / 1000 // behind a comma or a full stop
	fade      = rate * 20 / 1000
	amplitude = 2600 // of 32767: about -25 dB when it sounds
	lowTone   = 330.0
	highTone  = 392.0 // hertz; words take turns
)

// Provider is a tts.Provider. Its zero value is ready.
type Provider struct{}

// New makes one.
func New() *Provider { return &Provider{} }

// Name is "tones".
func (*Provider) Name() string { return name }

// Speak yields one chunk for each word.
func (*Provider) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		for i, word := range strings.Fields(req.Text) {
			if ctx.Err() != nil {
				yield(nil, fault.FromNet(name, ctx.Err()))
				return
			}
			if !yield(sound(i, word), nil) {
				return
			}
		}
	}
}

// sound is the i-th word and the silence behind it.
func sound(i int, word string) []int16 {
	length := min(max(perLetter*utf8.RuneCountInString(word), minWord), maxWord)
	silence, hertz := gap, lowTone
	if strings.ContainsAny(word[len(word)-1:], ".,;:!?") {
		silence = pause
	}
	if i%2 == 1 {
		hertz = highTone
	}
	out := make([]int16, length+silence)
	for n := range length {
		volume := amplitude * min(1, float64(n)/fade, float64(length-n)/fade)
		out[n] = int16(volume * math.Sin(2*math.Pi*hertz*float64(n)/rate))
	}
	return out
}
