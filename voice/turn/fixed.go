package turn

import (
	"strings"
)

// FixedTexts are the sentences that the assistant speaks when no script or model has any: it is never mute.
type FixedTexts struct {
	Goodbye        string // we end the call and the script has no end-call message
	Apology        string // we cannot go on
	Wait           string // the reply takes long
	StillWaiting   string // and longer
	Repeat         string // we did not understand
	RepeatAgain    string // and nothing was said since
	TransferFailed string // a transfer failed
	Transferring   string // a transfer begins and nobody said so
	CallerWaits    string // to a colleague who is to take a caller
	WillYouTake    string // likewise, of one who decides
}

// LanguageCode returns the ISO 639 code of a BCP 47 tag: "nl" of "nl-NL". What names no language, such as the "multi" of some
// transcribers, has none: providers then find it out.
func LanguageCode(tag string) string {
	code, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	if len(code) < 2 || len(code) > 3 {
		return ""
	}
	return strings.ToLower(code)
}

// FixedTextsIn returns Dutch texts for a Dutch BCP 47 tag, and English ones for all others.
func FixedTextsIn(language string) FixedTexts {
	if LanguageCode(language) == "nl" {
		return FixedTexts{
			Goodbye:        "Ik ga nu ophangen. Tot ziens.",
			Apology:        "Het spijt me, er gaat iets mis bij ons. Probeert u het later nog eens. Tot ziens.",
			Wait:           "Een ogenblik, alstublieft.",
			StillWaiting:   "Het duurt iets langer dan gewoonlijk. Ik ben er nog.",
			Repeat:         "Sorry, dat verstond ik niet. Kunt u dat herhalen?",
			RepeatAgain:    "Ik hoor u niet goed. Zegt u het nog eens, alstublieft.",
			Transferring:   "Een ogenblik, ik verbind u door.",
			CallerWaits:    "Ik heb een beller voor u aan de lijn.",
			WillYouTake:    "Zal ik u verbinden?",
			TransferFailed: "Sorry, ik kon u niet doorverbinden. Kan ik u anders helpen?",
		}
	}
	return FixedTexts{
		Goodbye:        "I will hang up now. Goodbye.",
		Apology:        "I am sorry, something went wrong on our side. Please try again later. Goodbye.",
		Wait:           "One moment, please.",
		StillWaiting:   "This takes a little longer than usual. I am still here.",
		Repeat:         "Sorry, I did not catch that. Could you say it again?",
		RepeatAgain:    "I cannot hear you well. Please say it once more.",
		Transferring:   "One moment, I will put you through.",
		CallerWaits:    "I have a caller for you on the line.",
		WillYouTake:    "Shall I put them through?",
		TransferFailed: "Sorry, I could not put you through. Can I help you in another way?",
	}
}
