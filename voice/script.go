package voice

import (
	"cmp"
	"time"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/sentence"
	"github.com/callwright/callwright/voice/spoken"
	"github.com/callwright/callwright/voice/turn"
)

// Script is what the assistant is in one call. Its texts are final: templates were filled by whoever made it.
type Script struct {
	turn.Plan // what it says when, and by whose turn; its Language also chooses voice and transcriber

	SystemPrompt string

	Model       Model
	Voice       Voice
	Transcriber Transcriber

	Abilities  Abilities
	Background Background
}

// Model chooses the language model.
type Model struct {
	Name        string
	Temperature *float64
	MaxTokens   int
	Timeout     time.Duration // until the first word of a reply; 0: 20 s
}

// Voice chooses how the assistant sounds.
type Voice struct {
	Name    string
	Model   string
	Reading spoken.Plan // of numbers, addresses and abbreviations
}

// Transcriber chooses how the caller is understood.
type Transcriber struct {
	Model    string
	Language string // empty: Script.Language
}

// Abilities are the tools that come with the assistant.
type Abilities struct {
	EndCall    bool
	SendDigits bool          // for menus of other machines
	Transfers  []Destination // to whom it may hand the caller over
}

// Destination is where the model may transfer the caller.
type Destination struct {
	Name         string             // what the model calls it
	Description  string             // when to choose it
	Target       string             // E.164 or SIP URI
	Announcement string             // spoken before; empty: a fixed sentence, where the model says nothing itself
	Plan         *turn.TransferPlan // nil: a blind transfer
}

// Background is a sound that the far end and the recording hear under the assistant.
type Background struct {
	Sound []int16 // 8 kHz mono, looped; nil: none
	Gain  float64 // in decibels; see DefaultBackgroundGain
}

// DefaultScript returns the defaults of the field for everything but the texts.
func DefaultScript() Script { return Script{Plan: turn.DefaultPlan()} }

// reader reads aloud what the assistant says, in its language.
func (s Script) reader() *spoken.Reader { return spoken.New(s.Voice.Reading, s.Language) }

// speech returns a text, as it is to be read, in the assistant's voice.
func (s Script) speech(text string, band audio.Band) tts.Request {
	return tts.Request{Text: text, Voice: s.Voice.Name, Model: s.Voice.Model, Language: turn.LanguageCode(s.Language), Band: band}
}

// FixedSpeech returns what the assistant says without a model, as a session on a leg of that band asks its voice for it: first
// what comes first in the call. What was made beforehand is heard at once, and also while the voice is out of order.
func (s Script) FixedSpeech(band audio.Band) []tts.Request {
	fixed, texts := turn.FixedTextsIn(s.Language), []string{}
	if s.FirstMessageMode == turn.AssistantSpeaksFirst || s.FirstMessageMode == "" {
		texts = append(texts, s.FirstMessage)
	}
	texts = append(texts, fixed.Wait, fixed.Looking, fixed.StillWaiting, cmp.Or(s.EndCallMessage, fixed.Goodbye), fixed.Apology,
		fixed.Repeat, fixed.RepeatAgain)
	texts = append(append(texts, s.Idle.Messages...), s.Idle.SilenceMessage)
	if len(s.Abilities.Transfers) > 0 {
		texts = append(texts, fixed.Transferring, fixed.TransferFailed)
	}
	for _, to := range s.Abilities.Transfers {
		texts = append(texts, to.Announcement)
	}
	requests, reader := []tts.Request(nil), s.reader()
	for _, text := range texts {
		for _, written := range sentence.Split(text) {
			requests = append(requests, s.speech(reader.Read(written), band))
		}
	}
	return requests
}
