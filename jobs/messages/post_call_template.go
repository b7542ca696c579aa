package messages

import (
	"bytes"
	"embed"
	"fmt"
	htmltemplate "html/template"
	"strings"
	"text/template"
	"time"
)

// maxTurns is how much of a conversation a mail shows.
const maxTurns = 2000

// postCall is what a mail about a call says. What is empty is left out.
type postCall struct {
	Language       string // as in nl-NL; what is not Dutch is written in English
	Assistant      string
	Contact        string // name, else number
	Number         string
	Inbound        bool
	StartedAt      time.Time
	Duration       time.Duration
	EndedReason    string
	Summary        string
	Evaluation     string
	Data           string // JSON
	Turns          []postCallTurn
	Recording      string // URL
	RecordingUntil time.Time
}

// postCallTurn is what one side said, and when after the answer.
type postCallTurn struct {
	Assistant bool
	Text      string
	At        time.Duration
}

// words are what a mail is made of in one language.
type words struct {
	Language, Subject, From, To, Started, Duration, Ended, Summary, Evaluation, Data, Transcript, Contact, More, Recording,
	Until string
}

func wordsOf(language string) words {
	if base, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(language, "_", "-")), "-"); base == "nl" || base == "dutch" {
		return words{
			Language: "nl", Subject: "Gesprek met", From: "Gebeld door", To: "Gebeld met", Started: "Begonnen", Duration: "Duur",
			Ended:   "Einde",
			Summary: "Samenvatting", Evaluation: "Beoordeling", Data: "Gegevens", Transcript: "Gesprek", Contact: "Contact",
			More: "Het gesprek ging nog verder.", Recording: "Luister de opname", Until: "te beluisteren tot",
		}
	}
	return words{
		Language: "en", Subject: "Call with", From: "Called by", To: "Called", Started: "Started", Duration: "Duration", Ended: "Ended",
		Summary: "Summary", Evaluation: "Evaluation", Data: "Data", Transcript: "Conversation", Contact: "Contact",
		More: "The conversation went on.", Recording: "Listen to the recording", Until: "available until",
	}
}

//go:embed post_call.txt post_call.html
var layouts embed.FS

// Write returns the mail.
func (p *postCall) Write() (subject, text, html string, err error) {
	page := struct {
		*postCall
		Words words
		Shown []postCallTurn
	}{p, wordsOf(p.Language), p.Turns[:min(len(p.Turns), maxTurns)]}
	functions := map[string]any{"time": timeText, "length": length}
	plain, err := template.New("post_call.txt").Funcs(functions).ParseFS(layouts, "post_call.txt")
	if err != nil {
		return "", "", "", fmt.Errorf("parse mail template: %w", err)
	}
	rich, err := htmltemplate.New("post_call.html").Funcs(functions).ParseFS(layouts, "post_call.html")
	if err != nil {
		return "", "", "", fmt.Errorf("parse mail template: %w", err)
	}
	var texts, htmls bytes.Buffer
	if err := plain.Execute(&texts, page); err != nil {
		return "", "", "", fmt.Errorf("write mail: %w", err)
	}
	if err := rich.Execute(&htmls, page); err != nil {
		return "", "", "", fmt.Errorf("write mail: %w", err)
	}
	return oneLine(fmt.Sprintf("%s %s (%s)", page.Words.Subject, p.Contact, p.Assistant)), texts.String(), htmls.String(), nil
}

// timeText returns a time as both languages read it.
func timeText(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// length returns minutes and seconds.
func length(d time.Duration) string {
	seconds := int(d.Seconds())
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// oneLine keeps names from becoming headers.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
