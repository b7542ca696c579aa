package turn

import (
	"strings"
)

// FixedTexts are the sentences that the assistant speaks when no script or model has any: it is never mute.
type FixedTexts struct {
	Goodbye        string // we end the call and the script has no end-call message
	Apology        string // we cannot go on
	Wait           string // the reply takes long
	Looking        string // and a little longer
	StillWaiting   string // and much longer
	Repeat         string // we did not understand
	RepeatAgain    string // and nothing was said since
	TransferFailed string // a transfer failed
	Transferring   string // a transfer begins and nobody said so
	CallerWaits    string // to a colleague who is to take a caller
	WillYouTake    string // likewise, of one who decides
	PressToTake    string // likewise, where nobody understands words
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

// FixedTextsIn returns Dutch and German texts for such a BCP 47 tag, and English ones for all others.
func FixedTextsIn(language string) FixedTexts {
	switch LanguageCode(language) {
	case "de":
		return germanTexts
	case "nl":
		return dutchTexts
	default:
		return englishTexts
	}
}

var (
	dutchTexts = FixedTexts{
		Goodbye:        "Ik ga nu ophangen. Tot ziens.",
		Apology:        "Het spijt me, er gaat iets mis bij ons. Probeert u het later nog eens. Tot ziens.",
		Wait:           "Een ogenblik, alstublieft.",
		Looking:        "Even kijken.",
		StillWaiting:   "Het duurt iets langer dan gewoonlijk. Ik ben er nog.",
		Repeat:         "Sorry, dat verstond ik niet. Kunt u dat herhalen?",
		RepeatAgain:    "Ik hoor u niet goed. Zegt u het nog eens, alstublieft.",
		Transferring:   "Een ogenblik, ik verbind u door.",
		CallerWaits:    "Ik heb een beller voor u aan de lijn.",
		WillYouTake:    "Zal ik u verbinden?",
		PressToTake:    "Druk op 1, dan verbind ik u.",
		TransferFailed: "Sorry, ik kon u niet doorverbinden. Kan ik u anders helpen?",
	}
	englishTexts = FixedTexts{
		Goodbye:        "I will hang up now. Goodbye.",
		Apology:        "I am sorry, something went wrong on our side. Please try again later. Goodbye.",
		Wait:           "One moment, please.",
		Looking:        "Let me see.",
		StillWaiting:   "This takes a little longer than usual. I am still here.",
		Repeat:         "Sorry, I did not catch that. Could you say it again?",
		RepeatAgain:    "I cannot hear you well. Please say it once more.",
		Transferring:   "One moment, I will put you through.",
		CallerWaits:    "I have a caller for you on the line.",
		WillYouTake:    "Shall I put them through?",
		PressToTake:    "Press 1, and I will put them through.",
		TransferFailed: "Sorry, I could not put you through. Can I help you in another way?",
	}
	germanTexts = FixedTexts{
		Goodbye:        "Ich lege jetzt auf. Auf Wiederhören.",
		Apology:        "Es tut mir leid, bei uns ist etwas schiefgegangen. Bitte versuchen Sie es später noch einmal. Auf Wiederhören.",
		Wait:           "Einen Moment, bitte.",
		Looking:        "Mal sehen.",
		StillWaiting:   "Es dauert etwas länger als sonst. Ich bin noch da.",
		Repeat:         "Entschuldigung, das habe ich nicht verstanden. Können Sie das wiederholen?",
		RepeatAgain:    "Ich höre Sie nicht gut. Bitte sagen Sie es noch einmal.",
		Transferring:   "Einen Moment, ich verbinde Sie.",
		CallerWaits:    "Ich habe einen Anrufer für Sie in der Leitung.",
		WillYouTake:    "Soll ich ihn durchstellen?",
		PressToTake:    "Drücken Sie die 1, dann stelle ich ihn durch.",
		TransferFailed: "Entschuldigung, ich konnte Sie nicht verbinden. Kann ich Ihnen anders helfen?",
	}
)
