package voice

import "strings"

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

// languageCode is the ISO 639-1 code of a BCP 47 tag: "nl" of "nl-NL".
func languageCode(tag string) string {
	code, _, _ := strings.Cut(tag, "-")
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
