package messages

import (
	"fmt"
	"strings"
	"time"
)

// AppointmentTemplate is what a mail about an appointment says. What is empty is left out.
type AppointmentTemplate struct {
	Language string // as in nl-NL; what is not Dutch is written in English
	Company  string
	Type     string
	Start    time.Time // in the location whose clock it shows
	Contact  string    // name
	Number   string
	Email    string
	Notes    string
}

// appointmentWords are what such a mail is made of in one language.
type appointmentWords struct{ Subject, With, When, Contact, Number, Email, Notes, Attached string }

func appointmentWordsOf(language string) appointmentWords {
	if wordsOf(language).Language == "nl" {
		return appointmentWords{
			Subject: "Afspraak", With: "Afspraak bij", When: "Wanneer", Contact: "Naam", Number: "Telefoon", Email: "E-mail",
			Notes:    "Opmerking",
			Attached: "De uitnodiging voor uw agenda is bijgevoegd.",
		}
	}
	return appointmentWords{
		Subject: "Appointment", With: "Appointment with", When: "When", Contact: "Name", Number: "Phone", Email: "E-mail",
		Notes:    "Notes",
		Attached: "The invitation for your calendar is attached.",
	}
}

// Write returns the mail, as text.
func (a *AppointmentTemplate) Write() (subject, text string) {
	words := appointmentWordsOf(a.Language)
	when := Day(a.Language, a.Start) + " " + a.Start.Format("15:04")
	var body strings.Builder
	line := func(label, value string) {
		if value != "" {
			fmt.Fprintf(&body, "%s: %s\n", label, oneLine(value))
		}
	}
	line(words.With, a.Company)
	line(words.Subject, a.Type)
	line(words.When, when+" ("+a.Start.Location().String()+")")
	line(words.Contact, a.Contact)
	line(words.Number, a.Number)
	line(words.Email, a.Email)
	line(words.Notes, a.Notes)
	body.WriteString("\n" + words.Attached + "\n")
	return oneLine(words.Subject + ": " + a.Type + ", " + when), body.String()
}

// Day returns a day as one says it, such as Tuesday 24 November 2026.
func Day(language string, at time.Time) string {
	if wordsOf(language).Language == "nl" {
		days := []string{"zondag", "maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag"}
		months := []string{"januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober",
			"november", "december"}
		return fmt.Sprintf("%s %d %s %d", days[at.Weekday()], at.Day(), months[at.Month()-1], at.Year())
	}
	return at.Format("Monday 2 January 2006")
}
