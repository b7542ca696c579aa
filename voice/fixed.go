package voice

import (
	"cmp"
	"strings"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/sentence"
)

// fixedTexts are the sentences that the assistant speaks when no script or model has
// any: it is never mute.
type fixedTexts struct {
	goodbye string // we end the call and the script has no end-call message
	apology string // we cannot go on
	moment  string // the reply takes long
	repeat  string // we did not understand
	noLine  string // a transfer failed
	connect string // a transfer begins and nobody said so
}

// languageCode is the ISO 639 code of a BCP 47 tag: "nl" of "nl-NL". What names no language, such as the "multi" of some
// recognisers, has none: providers then find it out.
func languageCode(tag string) string {
	code, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	if len(code) < 2 || len(code) > 3 {
		return ""
	}
	return strings.ToLower(code)
}

// fixedTextsIn speaks Dutch to the Dutch and English to all others.
func fixedTextsIn(language string) fixedTexts {
	if languageCode(language) == "nl" {
		return fixedTexts{
			goodbye: "Ik ga nu ophangen. Tot ziens.",
			apology: "Het spijt me, er gaat iets mis bij ons. Probeert u het later nog eens. Tot ziens.",
			moment:  "Een ogenblik, alstublieft.",
			repeat:  "Sorry, dat verstond ik niet. Kunt u dat herhalen?",
			connect: "Een ogenblik, ik verbind u door.",
			noLine:  "Sorry, ik kon u niet doorverbinden. Kan ik u anders helpen?",
		}
	}
	return fixedTexts{
		goodbye: "I will hang up now. Goodbye.",
		apology: "I am sorry, something went wrong on our side. Please try again later. Goodbye.",
		moment:  "One moment, please.",
		repeat:  "Sorry, I did not catch that. Could you say it again?",
		connect: "One moment, I will put you through.",
		noLine:  "Sorry, I could not put you through. Can I help you in another way?",
	}
}

// speech is a text in the assistant's voice.
func (s Script) speech(text string) tts.Request {
	return tts.Request{Text: text, Voice: s.Voice.Name, Model: s.Voice.Model, Language: languageCode(s.Language)}
}

// FixedSpeech is what the assistant says without a model, as a session asks its voice for it: first what comes first in
// the call. What was made beforehand is heard at once, and also while the voice is out of order.
func (s Script) FixedSpeech() []tts.Request {
	fixed, texts := fixedTextsIn(s.Language), []string{}
	if s.FirstMessageMode == AssistantSpeaksFirst || s.FirstMessageMode == "" {
		texts = append(texts, s.FirstMessage)
	}
	texts = append(texts, fixed.moment, cmp.Or(s.EndCallMessage, fixed.goodbye), fixed.apology, fixed.repeat)
	texts = append(append(texts, s.Idle.Messages...), s.Idle.SilenceMessage)
	if len(s.Abilities.Transfers) > 0 {
		texts = append(texts, fixed.connect, fixed.noLine)
	}
	for _, to := range s.Abilities.Transfers {
		texts = append(texts, to.Announcement)
	}
	var requests []tts.Request
	for _, text := range texts {
		for _, spoken := range sentence.Split(text) {
			requests = append(requests, s.speech(spoken))
		}
	}
	return requests
}
