// Package flite speaks English with the synthesiser Flite, which is part of this program: it needs no key, no network and
// nothing installed. It runs as WebAssembly, so that its C can neither touch the memory of the process nor end it.
//
// It knows Flite's two voices and what text they can read. It must not know who listens, nor who speaks the languages that
// Flite does not.
package flite

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"
	"unicode"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/tts"
)

const (
	name    = "flite"
	maxText = 20_000 // bytes
)

// The voices. A second of Kal's speech costs about 2 ms of processor time, one of Slt's about 20.
const (
	Kal = "kal" // a man, joined of recorded pieces
	Slt = "slt" // a woman, computed from statistics of her speech
)

// rates are what the voices are made in, in hertz.
var rates = map[string]int{Kal: 8000, Slt: 16_000}

// Config says how it speaks.
type Config struct {
	Voice string // for requests that name none; empty: Kal
}

// Provider is a tts.Provider. All of a process share the compiled program and the bound on how much of it runs at once.
type Provider struct{ voice string }

// New fills in the defaults of cfg.
func New(cfg Config) *Provider {
	if cfg.Voice == "" {
		cfg.Voice = Kal
	}
	return &Provider{voice: cfg.Voice}
}

// Name is "flite".
func (*Provider) Name() string { return name }

// Speaks reports whether language, ISO 639-1 or empty, is one that Flite was made for. It reads every other as if it were
// English.
func Speaks(language string) bool { return language == "" || language == "en" }

// patience is how long a sentence may take on a machine that is busy, Flite's compilation included.
const patience = 10 * time.Second

// Speak yields sound while it is made, the first within some milliseconds; the first time in a process, Flite is compiled,
// which takes a fraction of a second. A voice that does not exist, or a text of more than 20,000 bytes, is a fault of kind
// Refused. A text whose letters are none of Flite's is one of kind Unavailable.
func (p *Provider) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		voice := p.voice
		if req.Voice != "" {
			voice = req.Voice
		}
		lines, err := script(voice, req.Text)
		switch {
		case err != nil:
			yield(nil, err)
		case ctx.Err() != nil:
			yield(nil, fault.FromNet(name, ctx.Err()))
		case len(lines) > 0:
			tts.AskPatience(ctx, patience)
			speak(ctx, voice, strings.Join(lines, ""), req.Band, yield)
		}
	}
}

// script returns the lines that voice has to read, none when there is nothing to say.
func script(voice, text string) ([]string, error) {
	switch {
	case rates[voice] == 0:
		return nil, fault.New(fault.Refused, name, fmt.Sprintf("there is no voice %q; there are %s and %s", voice, Kal, Slt))
	case len(text) > maxText:
		return nil, fault.New(fault.Refused, name, fmt.Sprintf("a text of %d bytes is too long", len(text)))
	}
	lines := readable(text)
	if len(lines) == 0 && hasWords(text) {
		return nil, fault.New(fault.Unavailable, name, "it cannot read the letters of the text")
	}
	return lines, nil
}

func hasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}
